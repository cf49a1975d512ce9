// SPDX-License-Identifier: MIT
// Matrix product: c = alpha * a b + beta * c, with leading batch dimensions.
#pragma once

#include "reference/problem.hpp"

namespace assay::reference {

// a: (..., m, k), b: (..., k, n), c: (..., m, n) with equal leading dimensions; b may also have none, and is then
// shared. alpha is 1 and beta is 0 unless given; c is read only if beta is not 0.
Result<Outputs> gemm(const Problem& problem);

}  // namespace assay::reference
