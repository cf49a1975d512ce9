// SPDX-License-Identifier: MIT
#include "stats/bootstrap.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

// SciPy resampled 200,000 times; what remains between the two is chance, a small part of the interval.
void expect_near(const Bootstrap& got, const std::vector<double>& expected, double acceleration) {
  const double tolerance = 0.03 * (expected[1] - expected[0]);
  EXPECT_NEAR(got.interval.low, expected[0], tolerance);
  EXPECT_NEAR(got.interval.high, expected[1], tolerance);
  EXPECT_NEAR(got.standard_error, expected[2], 0.02 * expected[2]);
  EXPECT_NEAR(got.acceleration, acceleration, 1e-12);
  EXPECT_FALSE(got.degenerate);
}

TEST(Bootstrap, agrees_with_scipy) {
  const BootstrapOptions options{.resamples = 100'000};
  const Sample medium_a = sample(golden::medium_a);
  expect_near(median_interval(sample(golden::times), options), golden::bootstrap_times_median,
              golden::acceleration_times_median);
  expect_near(median_interval(medium_a, options), golden::bootstrap_medium_a_median,
              golden::acceleration_medium_a_median);
}

TEST(Bootstrap, is_the_same_for_the_same_seed_and_another_for_another) {
  const Sample times = sample(golden::times);
  const auto run = [&](uint64_t seed) { return quantile_interval(times, 0.9, {.resamples = 500, .seed = seed}); };
  EXPECT_EQ(run(1).standard_error, run(1).standard_error);
  EXPECT_NE(run(1).standard_error, run(2).standard_error);
}

TEST(Bootstrap, of_equal_values_is_a_point_and_says_so) {
  for (const auto& values : {std::vector<double>{5}, {5, 5, 5, 5}}) {
    const Bootstrap result = median_interval(sample(values), {.resamples = 100});
    EXPECT_EQ(result.interval, (Interval{5, 5}));
    EXPECT_TRUE(result.degenerate);
    EXPECT_EQ(result.standard_error, 0);
  }
  EXPECT_FALSE(median_interval(sample({1, 2}), {.resamples = 100}).degenerate);
}

// The interval must hold what it promises: of 600 samples of 60 points about 95 % of the intervals contain the truth
// (binomial: fewer than 92 % has probability 0.001).
TEST(Bootstrap, covers_the_true_median) {
  constexpr uint64_t kSeed = 42;
  Random random(kSeed);
  const auto draw = [&random](double median) {
    std::vector<double> values(60);
    for (double& value : values) value = median * std::exp(0.2 * random.normal());
    return sample(values);
  };
  int median_hits = 0;
  constexpr int kTrials = 600;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Sample first = draw(12);
    const BootstrapOptions options{.resamples = 1000, .seed = random.next()};
    median_hits += median_interval(first, options).interval.contains(12);
  }
  EXPECT_GT(median_hits, 0.92 * kTrials) << "seed " << kSeed;
  EXPECT_LT(median_hits, 0.985 * kTrials) << "seed " << kSeed;
}

}  // namespace
}  // namespace assay::stats
