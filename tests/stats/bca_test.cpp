// SPDX-License-Identifier: MIT
#include "stats/bca.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(Bca, agrees_with_scipy_on_given_resamples) {
  EXPECT_NEAR(bias_correction(golden::bca_resamples, 1.02), golden::bca_bias, 1e-12);
  const Interval interval = bca_interval(golden::bca_resamples, golden::bca_bias, 0.05, 0.90);
  EXPECT_NEAR(interval.low, golden::bca_interval_values[0], 1e-12);
  EXPECT_NEAR(interval.high, golden::bca_interval_values[1], 1e-12);
}

TEST(Bca, counts_equal_resamples_half_and_stays_finite) {
  EXPECT_EQ(bias_correction(std::vector<double>{1, 2, 2, 3}, 2), 0);
  EXPECT_LT(bias_correction(std::vector<double>{5, 6}, 1), 0);
  EXPECT_TRUE(std::isfinite(bias_correction(std::vector<double>{5, 6}, 1)));
  EXPECT_TRUE(std::isfinite(bias_correction(std::vector<double>{5, 6}, 9)));
}

TEST(Bca, without_bias_and_acceleration_is_the_percentile_interval) {
  std::vector<double> resampled(101);
  for (size_t i = 0; i < resampled.size(); ++i) resampled[i] = static_cast<double>(i);
  const Interval interval = bca_interval(resampled, 0, 0, 0.9);
  EXPECT_NEAR(interval.low, 5, 1e-9);
  EXPECT_NEAR(interval.high, 95, 1e-9);
  // Past the pole of the transformation: the last resample, not a wrapped-around one.
  EXPECT_EQ(bca_interval(resampled, 0, 2.0, 0.9).high, 100);
}

TEST(Bca, has_no_acceleration_without_influence) {
  EXPECT_EQ(acceleration(std::vector<Jackknife>{{{1.0, 5.0}}}), 0);
  EXPECT_EQ(acceleration(std::vector<Jackknife>{{}}), 0);
  // Points 0 and 1, 0 three times: leaving one out gives means 1/3 (three times) and 0.
  const std::vector<Jackknife> jackknives{{{1.0 / 3, 3}, {0, 1}}};
  EXPECT_NEAR(acceleration(jackknives), 1.0 / (6.0 * std::sqrt(3.0)), 1e-15);
}

}  // namespace
}  // namespace assay::stats
