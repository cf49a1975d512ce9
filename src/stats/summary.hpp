// SPDX-License-Identifier: MIT
// A sample in a few figures.
#pragma once

#include <cstddef>

#include "stats/sample.hpp"

namespace assay::stats {

struct Summary {
  size_t count = 0;
  double minimum = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double maximum = 0;
  double mean = 0;
  double deviation = 0;      // standard deviation, n - 1; 0 for one value
  double robust_spread = 0;  // 1.4826 * median |x - median|: the deviation of a normal sample, deaf to outliers

  bool operator==(const Summary&) const = default;
};

Summary summarize(const Sample& sample);

}  // namespace assay::stats
