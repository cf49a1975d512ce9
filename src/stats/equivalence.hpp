// SPDX-License-Identifier: MIT
// Are two samples the same within a margin? Two one-sided tests: that two samples do not differ significantly says
// nothing about sameness, so the margin's ends are the hypotheses to reject.
#pragma once

#include "stats/sample.hpp"

namespace assay::stats {

struct Equivalence {
  double p = 1;           // the larger of the two: below alpha means "the same within the margin"
  double p_too_high = 1;  // against: first / second >= 1 + margin
  double p_too_low = 1;   // against: first / second <= 1 / (1 + margin)
};

// By Mann-Whitney against the second sample scaled to each end of the margin: no assumption about the distribution but
// that the two differ by a factor. Assumes independent, positive values; margin > 0.
Equivalence equivalence(const Sample& first, const Sample& second, double margin);

}  // namespace assay::stats
