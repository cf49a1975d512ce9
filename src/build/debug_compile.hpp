// SPDX-License-Identifier: MIT
// A source compiled to be read by debuggers, for what its debug information says of kernels' parameters. Nobody runs
// it.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "build/compile.hpp"
#include "build/toolkit.hpp"

namespace assay::build {

// PTX with debug information (nvcc -G), without a cubin. An error says how the compiler ended.
Result<std::string> compile_for_debugging(const Toolkit& toolkit, const CompileRequest& request,
                                          std::chrono::milliseconds time_limit);

}  // namespace assay::build
