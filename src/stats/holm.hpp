// SPDX-License-Identifier: MIT
// Holm's correction: of many tests some look significant by chance.
#pragma once

#include <span>
#include <vector>

namespace assay::stats {

// Adjusted p-values in the same order: rejecting those below alpha makes any false rejection at all at most alpha
// likely, whatever the tests' dependence. p-values lie in [0, 1].
std::vector<double> holm(std::span<const double> p_values);

}  // namespace assay::stats
