// SPDX-License-Identifier: MIT
// T4, the output format of the auto-tuning community: one result per evaluated configuration.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "formats/kernel_tuner_cache.hpp"
#include "formats/tuned_run.hpp"

namespace assay::formats {

// Reads what the schema says and what is found in the wild: "compilation" for "compilation_time", an error's name in
// place of the time, no list of runtimes.
Result<ReadSpace> parse_t4(std::string_view text, const std::string& name);
std::string to_t4(const TunedRun& run);

// Kernel Tuner's cache or T4, by what the file holds; plain or compressed.
Result<ReadSpace> read_recorded_space(const std::filesystem::path& path);

}  // namespace assay::formats
