// SPDX-License-Identifier: MIT
// The CUDA compiler of this machine: where it is, and which one it is.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace assay::build {

struct Toolkit {
  std::filesystem::path nvcc;
  std::string version;   // "13.0.88"; "unknown" if nvcc words it otherwise
  std::string identity;  // changes whenever another compiler, or another host compiler behind it, could be at work

  std::filesystem::path root() const { return nvcc.parent_path().parent_path(); }
};

// $ASSAY_NVCC, then $CUDA_HOME/bin, $CUDA_PATH/bin, PATH and /usr/local/cuda/bin. ASSAY_NVCC=none finds nothing, so
// that what a machine without a toolkit does can be seen on one that has it. The version is asked once for each
// compiler and remembered in `memory` (a folder), if one is given. The error, with the exit code for the environment,
// says how to get a toolkit.
Result<Toolkit> find_toolkit(const std::filesystem::path& memory = {});

std::string how_to_get_nvcc();

// "13.0.88" of nvcc's or ptxas' --version, or "".
std::string version_in(const std::string& text);

}  // namespace assay::build
