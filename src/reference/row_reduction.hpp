// SPDX-License-Identifier: MIT
// Sum over the last dimension.
#pragma once

#include "reference/problem.hpp"

namespace assay::reference {

// x: (..., columns), y: (...) or (..., 1). The sum of no elements is 0.
Result<Outputs> row_reduction(const Problem& problem);

}  // namespace assay::reference
