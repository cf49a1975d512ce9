// SPDX-License-Identifier: MIT
// Tests of independence on a series in the order of arrival: benchmark samples often drift or oscillate, and most
// intervals are then too narrow.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

struct IndependenceTest {
  double statistic = 0;
  double p = 1;             // small: not independent
  bool applicable = false;  // false if the series is too short or constant; then p is 1
};

// Wald and Wolfowitz: runs above and below the median (values equal to it are ignored). Too few runs: drift or
// clusters; too many: alternation. The statistic is z, two-sided. Needs 10 values on each side.
IndependenceTest runs_test(std::span<const double> series);

// Ljung and Box: are the first `lags` autocorrelations zero together? The statistic is Q, chi-squared with `lags`
// degrees. Needs more than 2 * lags values.
IndependenceTest ljung_box(std::span<const double> series, size_t lags);

size_t default_lags(size_t count);  // min(10, count / 5), as is usual for series without a season

}  // namespace assay::stats
