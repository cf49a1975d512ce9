// SPDX-License-Identifier: MIT
#include "stats/independence.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

void expect_values(const IndependenceTest& test, const std::vector<double>& expected) {
  EXPECT_TRUE(test.applicable);
  EXPECT_NEAR(test.statistic, expected[0], 1e-10);
  EXPECT_NEAR(test.p, expected[1], 1e-12);
}

TEST(Independence, agrees_with_the_formulas_in_numpy) {
  expect_values(runs_test(golden::correlated_series), golden::runs_correlated);
  expect_values(runs_test(golden::independent_series), golden::runs_independent);
  expect_values(ljung_box(golden::correlated_series, 10), golden::ljung_box_correlated);
  expect_values(ljung_box(golden::independent_series, 10), golden::ljung_box_independent);
  EXPECT_LT(ljung_box(golden::correlated_series, 10).p, 1e-4);
}

TEST(Independence, does_not_judge_short_or_constant_series) {
  const std::vector<double> constant(100, 3.0);
  EXPECT_FALSE(runs_test(constant).applicable);
  EXPECT_FALSE(ljung_box(constant, 10).applicable);
  EXPECT_EQ(ljung_box(constant, 10).p, 1);
  const std::vector<double> brief{1, 2, 3, 4, 5};
  EXPECT_FALSE(runs_test(brief).applicable);
  EXPECT_FALSE(ljung_box(brief, default_lags(brief.size()) + 2).applicable);
  EXPECT_FALSE(runs_test({}).applicable);
  EXPECT_FALSE(ljung_box({}, 0).applicable);
  EXPECT_EQ(default_lags(1000), 10u);
}

TEST(Independence, sees_drift_and_alternation_and_rarely_what_is_not_there) {
  std::vector<double> drift(60);
  std::vector<double> alternating(60);
  for (size_t i = 0; i < 60; ++i) drift[i] = static_cast<double>(i), alternating[i] = i % 2 == 0 ? 1.0 : 2.0;
  EXPECT_LT(runs_test(drift).p, 1e-6);
  EXPECT_LT(runs_test(drift).statistic, 0);
  EXPECT_GT(runs_test(alternating).statistic, 0);
  EXPECT_LT(ljung_box(alternating, 5).p, 1e-6);

  constexpr uint64_t kSeed = 23;
  Random random(kSeed);
  int runs = 0;
  int box = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> noise(100);
    for (double& x : noise) x = random.normal();
    runs += runs_test(noise).p < 0.05;
    box += ljung_box(noise, 10).p < 0.05;
  }
  EXPECT_LT(runs, 0.08 * kTrials) << "seed " << kSeed;
  EXPECT_LT(box, 0.08 * kTrials) << "seed " << kSeed;
  EXPECT_GT(box, 0.02 * kTrials) << "seed " << kSeed;
}

}  // namespace
}  // namespace assay::stats
