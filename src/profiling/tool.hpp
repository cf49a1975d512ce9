// SPDX-License-Identifier: MIT
// NVIDIA's tools on this machine: where they are, and how to get one that is not there.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace assay::profiling {

struct Tool {
  const char* name;      // of the program
  const char* variable;  // that names another place, or "none": act as if it were not there
  const char* how_to_get;
};

inline constexpr Tool kNcu{"ncu", "ASSAY_NCU",
                           "it comes with the CUDA toolkit (package nsight-compute) and needs an NVIDIA GPU"};
inline constexpr Tool kComputeSanitizer{
    "compute-sanitizer", "ASSAY_COMPUTE_SANITIZER",
    "it comes with the CUDA toolkit (package cuda-sanitizer) and needs an NVIDIA GPU"};

// Looks into the variable, PATH, $CUDA_HOME/bin, $CUDA_PATH/bin, /usr/local/cuda/bin and, for ncu, the newest folder of
// /opt/nvidia/nsight-compute. The error says what is missing and how to get it.
Result<std::filesystem::path> find_tool(const Tool& tool);

// The newest of the folders "2024.3.2", "2025.1", ... that holds the program; empty if none does.
std::filesystem::path newest_version(const std::filesystem::path& folder, const std::string& program);

}  // namespace assay::profiling
