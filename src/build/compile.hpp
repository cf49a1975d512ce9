// SPDX-License-Identifier: MIT
// One compilation: CUDA source to PTX with line information, and that PTX to a cubin.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "build/toolkit.hpp"

namespace assay::build {

struct CompileRequest {
  std::filesystem::path source;      // CUDA C++, or PTX that another compiler wrote
  std::string target;                // "sm_80", "sm_90a"
  std::vector<std::string> defines;  // "-DBLOCK_M=64"
  std::vector<std::string> flags;    // further ones, for both steps
  std::vector<std::filesystem::path> include_folders;
  std::vector<std::filesystem::path> further_sources{};  // of CUDA C++, linked with the first
  bool link = false;  // compile for linking (-rdc=true) and link, also a single source
};

inline constexpr const char* kPtxName = "kernel.ptx";
inline constexpr const char* kCubinName = "kernel.cubin";

struct CompileOutcome {
  bool succeeded = false;
  bool timed_out = false;
  std::string end;                        // "nvcc exited with 2": how a failed one ended
  std::string output;                     // what the compiler wrote: errors, warnings
  std::string ptxas_output;               // of `ptxas -v`
  std::vector<std::string> dependencies;  // every file read; relative ones are relative to the source's folder
  std::chrono::nanoseconds duration{0};
};

// Writes kPtxName and kCubinName into `folder`. The PTX's .file lines name the source and its neighbours relative to
// the source's folder and the toolkit's headers as "cuda/...", so that the PTX is the same wherever the project lies.
// The time limit is for each of the two steps. An error means that the compiler could not be started.
Result<CompileOutcome> compile(const Toolkit& toolkit, const CompileRequest& request,
                               const std::filesystem::path& folder, std::chrono::milliseconds time_limit);

// "compute_80" for "sm_80".
std::string virtual_architecture(std::string_view target);

std::string relocate_file_names(std::string_view ptx, const std::filesystem::path& source_folder,
                                const std::filesystem::path& toolkit_root);

// The prerequisites of a make rule as compilers write it (-MD).
std::vector<std::string> read_dependency_rule(std::string_view text);

}  // namespace assay::build
