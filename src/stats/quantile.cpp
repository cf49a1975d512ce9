// SPDX-License-Identifier: MIT
#include "stats/quantile.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace assay::stats {

QuantilePosition quantile_position(size_t count, double p) {
  assert(count >= 1);
  const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(count - 1);
  const double floor = std::floor(position);
  return {static_cast<size_t>(floor), position - floor};
}

double quantile(std::span<const double> sorted, double p) {
  const QuantilePosition position = quantile_position(sorted.size(), p);
  const double below = sorted[position.below];
  if (position.weight == 0) return below;
  return below + position.weight * (sorted[position.below + 1] - below);
}

double median(std::span<const double> sorted) {
  return quantile(sorted, 0.5);
}

double median_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return median(sorted);
}

}  // namespace assay::stats
