// SPDX-License-Identifier: MIT
// How small a difference can a comparison see?
#pragma once

#include <cstddef>

namespace assay::stats {

// The smallest relative difference (0.02: 2 %) that a two-sided test at `alpha` finds with probability `power`, if the
// logarithm of the ratio has this standard error and as many degrees of freedom.
double minimum_detectable_effect(double standard_error, double degrees, double alpha, double power);

// The same before measuring: from the noise (relative standard deviation of one value) and the number of values on each
// side, for medians of independent normal values.
double planned_detectable_effect(double noise, size_t count_per_side, double alpha, double power);

}  // namespace assay::stats
