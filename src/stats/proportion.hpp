// SPDX-License-Identifier: MIT
// A proportion counted in trials, with its exact interval.
#pragma once

#include <cstddef>

#include "stats/interval.hpp"

namespace assay::stats {

// Clopper and Pearson: never covers less than it promises. No trials: [0, 1].
Interval clopper_pearson(size_t successes, size_t trials, double confidence = 0.95);

}  // namespace assay::stats
