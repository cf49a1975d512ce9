// SPDX-License-Identifier: MIT
// Cliff's delta: how often a value of the first sample exceeds one of the second, minus how often it is the other way.
// 1: all of the first are larger; 0: neither; -1: all are smaller. O(n + m) on sorted samples.
#pragma once

#include <string_view>

#include "stats/sample.hpp"

namespace assay::stats {

double cliff_delta(const Sample& first, const Sample& second);

// "negligible" below 0.147, "small" below 0.33, "medium" below 0.474, else "large" (Romano et al. 2006).
std::string_view magnitude(double delta);

}  // namespace assay::stats
