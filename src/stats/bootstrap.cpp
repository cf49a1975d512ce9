// SPDX-License-Identifier: MIT
#include "stats/bootstrap.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <utility>
#include <vector>

#include "stats/bca.hpp"
#include "stats/order_statistic.hpp"
#include "stats/quantile.hpp"

namespace assay::stats {
namespace {

// The quantile without its i-th value, for every i: the quantile of the n - 1 others stands at a fixed position, so it
// takes at most three values.
Jackknife quantile_jackknife(std::span<const double> sorted, double p) {
  const size_t n = sorted.size();
  if (n < 2) return {};
  const QuantilePosition position = quantile_position(n - 1, p);
  const auto without = [&](size_t removed) {
    const auto at = [&](size_t index) { return sorted[index < removed ? index : index + 1]; };
    const double below = at(position.below);
    return position.weight == 0 ? below : below + position.weight * (at(position.below + 1) - below);
  };
  const size_t k = position.below;
  Jackknife jackknife{{without(0), static_cast<double>(k + 1)}};  // removed at or below k: both neighbours move up
  if (k + 1 < n) jackknife.push_back({without(k + 1), 1.0});
  if (k + 2 < n) jackknife.push_back({without(n - 1), static_cast<double>(n - k - 2)});
  return jackknife;
}

Bootstrap finish(double estimate, std::vector<double> resampled, std::span<const Jackknife> jackknives,
                 double confidence) {
  std::sort(resampled.begin(), resampled.end());
  Bootstrap result{.estimate = estimate};
  if (resampled.front() == resampled.back()) {
    result.interval = {estimate, estimate};
    result.degenerate = true;
    return result;
  }
  double mean = 0;
  for (const double value : resampled) mean += value;
  mean /= static_cast<double>(resampled.size());
  double squares = 0;
  for (const double value : resampled) squares += (value - mean) * (value - mean);
  result.standard_error = std::sqrt(squares / static_cast<double>(resampled.size() - 1));
  result.bias = bias_correction(resampled, estimate);
  result.acceleration = acceleration(jackknives);
  result.interval = bca_interval(resampled, result.bias, result.acceleration, confidence);
  return result;
}

}  // namespace

Bootstrap quantile_interval(const Sample& sample, double p, const BootstrapOptions& options) {
  assert(options.resamples >= 1);
  const ResampledQuantile resample(sample.sorted(), p);
  Random random(options.seed);
  std::vector<double> resampled(options.resamples);
  for (double& value : resampled) value = resample.draw(random);
  const std::array jackknives{quantile_jackknife(sample.sorted(), p)};
  return finish(quantile(sample.sorted(), p), std::move(resampled), jackknives, options.confidence);
}

Bootstrap median_interval(const Sample& sample, const BootstrapOptions& options) {
  return quantile_interval(sample, 0.5, options);
}

}  // namespace assay::stats
