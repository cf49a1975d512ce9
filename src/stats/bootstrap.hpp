// SPDX-License-Identifier: MIT
// Seeded BCa bootstrap intervals of quantiles. They assume independent values; for samples that arrive in batches and
// processes see ratio_estimate.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stats/interval.hpp"
#include "stats/sample.hpp"

namespace assay::stats {

struct BootstrapOptions {
  size_t resamples = 10'000;  // at least 1
  double confidence = 0.95;
  uint64_t seed = 1;
};

struct Bootstrap {
  double estimate = 0;
  Interval interval{};
  double standard_error = 0;
  double bias = 0;          // z0 of BCa
  double acceleration = 0;  // a of BCa
  bool degenerate =
      false;  // all resamples agree (one value, or all the same): the interval is a point and says nothing
};

Bootstrap quantile_interval(const Sample& sample, double p, const BootstrapOptions& options);
Bootstrap median_interval(const Sample& sample, const BootstrapOptions& options);

}  // namespace assay::stats
