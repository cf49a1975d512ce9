// SPDX-License-Identifier: MIT
// Kernel Tuner's cache files: every configuration that was evaluated with its time, its samples, or why it failed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "formats/tuned_run.hpp"
#include "tune/recorded_space.hpp"

namespace assay::formats {

struct ReadSpace {
  tune::RecordedSpace recorded;
  bool repaired = false;  // the file was cut off; what is complete was read
};

Result<ReadSpace> parse_kernel_tuner_cache(std::string_view text, const std::string& name);
std::string to_kernel_tuner_cache(const TunedRun& run);

}  // namespace assay::formats
