// SPDX-License-Identifier: MIT
// Copy: y = x, the reference of kernels that move data.
#pragma once

#include "reference/problem.hpp"

namespace assay::reference {

// x and y have the same number of elements and, if their ranks are equal, the same shape.
Result<Outputs> copy(const Problem& problem);

}  // namespace assay::reference
