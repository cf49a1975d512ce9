// SPDX-License-Identifier: MIT
// Results of the gate as Markdown, for a comment on a pull request.
#pragma once

#include <string>

#include "report/gated_kernel.hpp"

namespace assay::report {

// One section per kernel.
std::string markdown(const GatedKernels& kernels);

}  // namespace assay::report
