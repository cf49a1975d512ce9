// SPDX-License-Identifier: MIT
#include "stats/independence.hpp"

#include <algorithm>
#include <cmath>

#include "stats/distribution.hpp"
#include "stats/quantile.hpp"

namespace assay::stats {
namespace {

constexpr double kMinimumPerSide = 10;  // below that the normal approximation of the number of runs is poor

}  // namespace

IndependenceTest runs_test(std::span<const double> series) {
  if (series.empty()) return {};
  const double middle = median_of(series);
  double above = 0;
  double below = 0;
  double runs = 0;
  int last = 0;
  for (const double value : series) {
    if (value == middle) continue;
    const int side = value > middle ? 1 : -1;
    (side > 0 ? above : below) += 1;
    if (side != last) runs += 1;
    last = side;
  }
  if (above < kMinimumPerSide || below < kMinimumPerSide) return {};
  const double n = above + below;
  const double product = 2.0 * above * below;
  const double expected = product / n + 1.0;
  const double variance = product * (product - n) / (n * n * (n - 1.0));
  const double z = (runs - expected) / std::sqrt(variance);
  return {z, std::min(1.0, 2.0 * normal_above(std::abs(z))), true};
}

IndependenceTest ljung_box(std::span<const double> series, size_t lags) {
  const size_t count = series.size();
  if (lags == 0 || count <= 2 * lags) return {};
  const auto n = static_cast<double>(count);
  double mean = 0;
  for (const double value : series) mean += value;
  mean /= n;
  double variance = 0;
  for (const double value : series) variance += (value - mean) * (value - mean);
  if (!(variance > 0)) return {};
  double q = 0;
  for (size_t lag = 1; lag <= lags; ++lag) {
    double covariance = 0;
    for (size_t i = lag; i < count; ++i) covariance += (series[i] - mean) * (series[i - lag] - mean);
    const double correlation = covariance / variance;
    q += correlation * correlation / (n - static_cast<double>(lag));
  }
  q *= n * (n + 2.0);
  return {q, chi_squared_above(q, static_cast<double>(lags)), true};
}

size_t default_lags(size_t count) {
  return std::min<size_t>(10, count / 5);
}

}  // namespace assay::stats
