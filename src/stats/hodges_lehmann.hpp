// SPDX-License-Identifier: MIT
// The Hodges-Lehmann shift: the median of all differences between a value of the first sample and one of the second,
// with the interval that belongs to the Mann-Whitney test. O((n + m) * 64), without forming the differences.
#pragma once

#include "stats/interval.hpp"
#include "stats/sample.hpp"

namespace assay::stats {

struct HodgesLehmann {
  double shift = 0;
  Interval interval{};
};

HodgesLehmann hodges_lehmann(const Sample& first, const Sample& second, double confidence = 0.95);

// The same on logarithms: the typical ratio first / second. Both samples are positive throughout.
HodgesLehmann hodges_lehmann_ratio(const Sample& first, const Sample& second, double confidence = 0.95);

// The k-th smallest difference, k = 1 ... n * m.
double nth_difference(const Sample& first, const Sample& second, double k);

}  // namespace assay::stats
