// SPDX-License-Identifier: MIT
// What a gate said of a kernel, with the names by which a reader of several such reports knows it.
#pragma once

#include <string>
#include <vector>

#include "judge/gate.hpp"

namespace assay::report {

struct GatedKernel {
  std::string kernel;
  std::string device;
  judge::GateResult result;
};

using GatedKernels = std::vector<GatedKernel>;

}  // namespace assay::report
