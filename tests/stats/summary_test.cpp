// SPDX-License-Identifier: MIT
#include "stats/summary.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(Summary, agrees_with_numpy_and_scipy) {
  const Summary summary = summarize(sample(golden::times));
  EXPECT_EQ(summary.count, 101u);
  EXPECT_DOUBLE_EQ(summary.minimum, golden::times_quantiles[0]);
  EXPECT_DOUBLE_EQ(summary.p50, golden::times_quantiles[3]);
  EXPECT_DOUBLE_EQ(summary.p90, golden::times_quantiles[4]);
  EXPECT_DOUBLE_EQ(summary.p99, golden::times_quantiles[5]);
  EXPECT_DOUBLE_EQ(summary.maximum, golden::times_quantiles[6]);
  EXPECT_NEAR(summary.mean, golden::times_mean, 1e-12);
  EXPECT_NEAR(summary.deviation, golden::times_deviation, 1e-12);
  EXPECT_NEAR(summary.robust_spread, golden::times_robust_spread, 1e-12);
  EXPECT_NEAR(summary.robust_spread / summary.p50, 0.01, 0.003);  // the outliers do not show
}

TEST(Summary, of_one_value_has_no_spread) {
  const Summary summary = summarize(sample({7}));
  EXPECT_EQ(summary.p50, 7);
  EXPECT_EQ(summary.p99, 7);
  EXPECT_EQ(summary.deviation, 0);
  EXPECT_EQ(summary.robust_spread, 0);
}

}  // namespace
}  // namespace assay::stats
