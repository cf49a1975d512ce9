// SPDX-License-Identifier: MIT
// Quantiles of a sorted sample by linear interpolation between neighbours: Hyndman and Fan's type 7, the default of
// NumPy, R and Excel. The p-quantile of n values stands at position (n - 1) p, counted from 0.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

// Which sorted values a quantile lies between: sorted[below] and, if weight > 0, sorted[below + 1].
struct QuantilePosition {
  size_t below = 0;
  double weight = 0;  // of the upper neighbour, in [0, 1)
};

QuantilePosition quantile_position(size_t count, double p);  // count >= 1; p is clamped to [0, 1]

double quantile(std::span<const double> sorted, double p);  // of at least one value
double median(std::span<const double> sorted);
double median_of(std::span<const double> values);  // of values in any order, at least one

}  // namespace assay::stats
