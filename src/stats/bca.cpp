// SPDX-License-Identifier: MIT
#include "stats/bca.hpp"

#include <algorithm>
#include <cmath>

#include "stats/distribution.hpp"
#include "stats/quantile.hpp"

namespace assay::stats {

double bias_correction(std::span<const double> resampled, double estimate) {
  double below = 0;
  for (const double value : resampled) below += value < estimate ? 1.0 : (value == estimate ? 0.5 : 0.0);
  const auto count = static_cast<double>(resampled.size());
  const double edge = 0.5 / count;
  return normal_quantile(std::clamp(below / count, edge, 1.0 - edge));
}

double acceleration(std::span<const Jackknife> jackknives) {
  double cubes = 0;
  double squares = 0;
  for (const Jackknife& jackknife : jackknives) {
    double n = 0;
    double mean = 0;
    for (const auto& value : jackknife) n += value.count, mean += value.count * value.estimate;
    if (n < 2) continue;
    mean /= n;
    for (const auto& value : jackknife) {
      const double influence = (n - 1) * (mean - value.estimate) / n;
      squares += value.count * influence * influence;
      cubes += value.count * influence * influence * influence;
    }
  }
  return squares > 0 ? cubes / (6.0 * std::pow(squares, 1.5)) : 0.0;
}

Interval bca_interval(std::span<const double> resampled, double bias, double acceleration, double confidence) {
  const auto adjusted = [&](double probability) {
    const double shifted = bias + normal_quantile(probability);
    const double shrink = 1.0 - acceleration * shifted;
    // Beyond the pole the transformation has no meaning; the end of the resamples is the honest answer.
    if (shrink <= 0) return shifted > 0 ? 1.0 : 0.0;
    return normal_below(bias + shifted / shrink);
  };
  const double tail = (1.0 - confidence) / 2.0;
  return {quantile(resampled, adjusted(tail)), quantile(resampled, adjusted(1.0 - tail))};
}

}  // namespace assay::stats
