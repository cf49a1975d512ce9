// SPDX-License-Identifier: MIT
#include "stats/summary.hpp"

#include <cmath>
#include <vector>

#include "stats/quantile.hpp"

namespace assay::stats {
namespace {

constexpr double kMadToDeviation = 1.482602218505602;  // 1 / normal_quantile(3/4)

}  // namespace

Summary summarize(const Sample& sample) {
  const auto sorted = sample.sorted();
  Summary summary{.count = sorted.size(),
                  .minimum = sorted.front(),
                  .p50 = quantile(sorted, 0.5),
                  .p90 = quantile(sorted, 0.9),
                  .p99 = quantile(sorted, 0.99),
                  .maximum = sorted.back()};
  const auto n = static_cast<double>(sorted.size());
  double sum = 0;
  for (const double value : sorted) sum += value;
  summary.mean = sum / n;
  double squares = 0;
  std::vector<double> distances;
  distances.reserve(sorted.size());
  for (const double value : sorted) {
    squares += (value - summary.mean) * (value - summary.mean);
    distances.push_back(std::abs(value - summary.p50));
  }
  summary.deviation = sorted.size() > 1 ? std::sqrt(squares / (n - 1)) : 0;
  summary.robust_spread = kMadToDeviation * median_of(distances);
  return summary;
}

}  // namespace assay::stats
