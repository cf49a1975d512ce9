// SPDX-License-Identifier: MIT
// How small a difference can a comparison see?
#pragma once

namespace assay::stats {

// The smallest relative difference (0.02: 2 %) that a two-sided test at `alpha` finds with probability `power`, if the
// logarithm of the ratio has this standard error and as many degrees of freedom.
double minimum_detectable_effect(double standard_error, double degrees, double alpha, double power);

}  // namespace assay::stats
