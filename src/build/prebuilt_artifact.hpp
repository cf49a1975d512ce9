// SPDX-License-Identifier: MIT
// Prebuilt PTX in a kernel's folder, for machines without a compiler: that of a kernel's default configuration.
//
//   <kernel folder>/ptx/<kernel name>.<target>.ptx
//   <kernel folder>/ptx/<kernel name>.<target>.json   what it was made from, and the resources that ptxas found
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/artifact_cache.hpp"
#include "build/resource_usage.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::build {

struct PrebuiltArtifact {
  std::string configuration;  // its id
  std::string target;
  std::string compiler;                // "13.0.88"
  std::vector<std::string> arguments;  // defines and flags
  std::vector<Dependency> sources;     // the project's files that went into it, relative to the source's folder
  std::vector<ResourceUsage> resources;
  std::string ptx;  // the text
};

std::filesystem::path prebuilt_ptx(const spec::KernelSpec& spec, const std::string& target);
std::filesystem::path prebuilt_description(const spec::KernelSpec& spec, const std::string& target);

// The error says what is missing, damaged, or out of date: a source that changed since, another default configuration.
Result<PrebuiltArtifact> load_prebuilt(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                       const std::string& target);
Result<void> write_prebuilt(const spec::KernelSpec& spec, const PrebuiltArtifact& artifact);

// The compiler arguments that a prebuilt artifact of this configuration must have been made with.
std::vector<std::string> prebuilt_arguments(const spec::KernelSpec& spec, const spec::Configuration& configuration);

}  // namespace assay::build
