// SPDX-License-Identifier: MIT
#include "stats/median_ratio.hpp"

#include <algorithm>
#include <cmath>

namespace assay::stats {

// The largest k for which fewer than k of n values lie below the median with probability (1 - confidence) / 2 at most.
Interval order_interval(const Sample& sample, double confidence) {
  const std::span<const double> sorted = sample.sorted();
  const size_t count = sorted.size();
  const double tail = (1.0 - confidence) / 2.0;
  double log_term = -static_cast<double>(count) * std::log(2.0);  // of the binomial probability of 0
  double below = 0;
  size_t rank = 0;
  for (size_t k = 0; k < count / 2; ++k) {
    below += std::exp(log_term);
    if (below > tail) break;
    rank = k;
    log_term += std::log(static_cast<double>(count - k)) - std::log(static_cast<double>(k + 1));
  }
  return {sorted[rank], sorted[count - 1 - rank]};
}

Interval median_ratio_interval(const Sample& numerator, const Sample& denominator, double confidence) {
  const double each = std::sqrt(confidence);
  const Interval top = order_interval(numerator, each);
  const Interval bottom = order_interval(denominator, each);
  return {top.low / bottom.high, top.high / bottom.low};
}

}  // namespace assay::stats
