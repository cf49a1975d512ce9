// SPDX-License-Identifier: MIT
// Builds configurations of a kernel ahead of time, in parallel, each for every target.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay/context.hpp"
#include "base/result.hpp"
#include "build/artifact_cache.hpp"
#include "build/fit.hpp"
#include "build/resource_usage.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::build {

struct BuildOptions {
  std::filesystem::path cache_folder = ArtifactCache::default_folder();
  std::vector<std::string> targets;                                // empty: those of the specification
  std::chrono::milliseconds time_limit{std::chrono::minutes(10)};  // of one compiler run
  size_t jobs = 0;                                                 // at a time; 0: one for each core
  Context context{};                                               // hears of progress; may stop it
};

enum class BuildStatus {
  built,
  cached,
  prebuilt,  // no compiler here: the PTX in the kernel's folder
  failed,
  skipped,  // no compiler here, and nothing prebuilt that could stand in
};

std::string_view to_string(BuildStatus status);

// One configuration for one target.
struct BuildResult {
  spec::Configuration configuration;
  std::string target;
  BuildStatus status = BuildStatus::failed;
  std::filesystem::path ptx;    // empty if failed or skipped
  std::filesystem::path cubin;  // empty if there is none, as for a prebuilt one
  std::vector<ResourceUsage> resources;
  std::vector<Dependency> sources;  // the project's files that went into it
  std::string compiler;             // its version
  std::string reason;               // why it failed or was skipped
  std::string hint;                 // what to do about it
  std::string output;               // what the compiler wrote
  bool timed_out = false;
  std::optional<Error> mistake;  // failed because the specification does not launch what was compiled
  std::chrono::nanoseconds duration{0};

  bool usable() const { return status != BuildStatus::failed && status != BuildStatus::skipped; }
};

struct BuildReport {
  std::vector<BuildResult> results;     // configurations in the given order, the targets of each together
  std::optional<std::string> compiler;  // its version, if there is one
  std::optional<Error> no_compiler;     // else why, and how to get one

  size_t count(BuildStatus status) const;
  const BuildResult* find(const spec::Configuration& configuration, std::string_view target) const;
  std::vector<TargetUsage> usages(const spec::Configuration& configuration) const;  // of the usable results
};

// A compilation that fails is a result; the others go on. An error is one of the whole build: an unusable cache folder,
// an unreadable source.
Result<BuildReport> build(const spec::KernelSpec& spec, const std::vector<spec::Configuration>& configurations,
                          const BuildOptions& options = {});
// All configurations that the specification admits.
Result<BuildReport> build_all(const spec::KernelSpec& spec, const BuildOptions& options = {});

// Compiles the default configuration for `target` and writes it to the kernel's folder, for machines without a
// compiler.
Result<void> regenerate_prebuilt(const spec::KernelSpec& spec, const std::string& target,
                                 const BuildOptions& options = {});

}  // namespace assay::build
