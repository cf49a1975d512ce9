// SPDX-License-Identifier: MIT
#include "stats/hodges_lehmann.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(HodgesLehmann, agrees_with_all_pairs) {
  const auto check = [](const std::vector<double>& a, const std::vector<double>& b, double shift, double ratio) {
    EXPECT_NEAR(hodges_lehmann(sample(a), sample(b)).shift, shift, 1e-12);
    EXPECT_NEAR(hodges_lehmann_ratio(sample(a), sample(b)).shift, ratio, 1e-12);
  };
  check(golden::small_a, golden::small_b, golden::shift_small, golden::ratio_small);
  check(golden::medium_a, golden::medium_b, golden::shift_medium, golden::ratio_medium);
  check(golden::tied_a, golden::tied_b, golden::shift_tied, golden::ratio_tied);
}

TEST(HodgesLehmann, interval_is_that_of_the_exact_test) {
  const HodgesLehmann result = hodges_lehmann(sample(golden::small_a), sample(golden::small_b), 0.95);
  EXPECT_DOUBLE_EQ(result.interval.low, golden::shift_interval_small[0]);
  EXPECT_DOUBLE_EQ(result.interval.high, golden::shift_interval_small[1]);
}

TEST(HodgesLehmann, every_difference_is_found_exactly) {
  constexpr uint64_t kSeed = 11;
  Random random(kSeed);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<double> a(1 + random.below(12));
    std::vector<double> b(1 + random.below(12));
    for (double& x : a) x = trial % 2 == 0 ? random.normal() : static_cast<double>(random.below(4));
    for (double& x : b) x = trial % 2 == 0 ? random.normal() : static_cast<double>(random.below(4));
    std::vector<double> all;
    for (const double x : a)
      for (const double y : b) all.push_back(x - y);
    std::sort(all.begin(), all.end());
    for (size_t k = 0; k < all.size(); ++k) {
      EXPECT_EQ(nth_difference(sample(a), sample(b), static_cast<double>(k + 1)), all[k]) << "seed " << kSeed;
    }
  }
}

TEST(HodgesLehmann, follows_a_shift_and_covers_the_truth) {
  constexpr uint64_t kSeed = 5;
  Random random(kSeed);
  int hits = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> a(40);
    std::vector<double> b(40);
    for (double& x : a) x = 3 + random.normal();
    for (double& x : b) x = random.normal();
    hits += hodges_lehmann(sample(a), sample(b), 0.95).interval.contains(3);
  }
  EXPECT_GT(hits, 0.91 * kTrials) << "seed " << kSeed;
  EXPECT_LT(hits, 0.99 * kTrials) << "seed " << kSeed;
}

TEST(HodgesLehmann, of_single_values_is_their_difference) {
  const HodgesLehmann result = hodges_lehmann(sample({5}), sample({2}));
  EXPECT_EQ(result.shift, 3);
  EXPECT_EQ(result.interval, (Interval{3, 3}));
}

}  // namespace
}  // namespace assay::stats
