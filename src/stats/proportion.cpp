// SPDX-License-Identifier: MIT
#include "stats/proportion.hpp"

#include <cassert>

#include "stats/distribution.hpp"

namespace assay::stats {

Interval clopper_pearson(size_t successes, size_t trials, double confidence) {
  assert(successes <= trials);
  const double tail = (1.0 - confidence) / 2.0;
  const auto hits = static_cast<double>(successes);
  const auto misses = static_cast<double>(trials - successes);
  Interval interval{0, 1};
  if (successes > 0) interval.low = beta_quantile(tail, hits, misses + 1.0);
  if (successes < trials) interval.high = beta_quantile(1.0 - tail, hits + 1.0, misses);
  return interval;
}

}  // namespace assay::stats
