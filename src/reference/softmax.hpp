// SPDX-License-Identifier: MIT
// Softmax over the last dimension.
#pragma once

#include "reference/problem.hpp"

namespace assay::reference {

// x and y: (..., columns). A row with plus infinity, or with nothing but minus infinity, has no result.
Result<Outputs> softmax(const Problem& problem);

}  // namespace assay::reference
