// SPDX-License-Identifier: MIT
// What it takes to run a measured kernel once more: its specification, configuration and code, in the cache by content.
// A baseline is so measured again beside the candidate, in the same run, whatever became of its checkout.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "build/builder.hpp"
#include "measure/contender.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

// Keeps it and answers the name under which it is found: a hash of the contents.
Result<std::string> keep_candidate(const spec::KernelSpec& spec, const build::BuildResult& built,
                                   const std::filesystem::path& cache_folder);

// Nothing if it is not there, or no longer what it was.
std::optional<measure::Contender> kept_contender(const std::string& hash, const std::string& name,
                                                 const std::filesystem::path& cache_folder);

}  // namespace assay::work
