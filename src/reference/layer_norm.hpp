// SPDX-License-Identifier: MIT
// Layer normalisation over the last dimension.
#pragma once

#include "reference/problem.hpp"

namespace assay::reference {

// x and y: (..., columns), weight and bias: (columns) if given; eps is 1e-5 unless given. The variance is that of the
// population (divided by the number of columns).
Result<Outputs> layer_norm(const Problem& problem);

}  // namespace assay::reference
