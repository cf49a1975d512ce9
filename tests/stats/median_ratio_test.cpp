// SPDX-License-Identifier: MIT
#include "stats/median_ratio.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(OrderInterval, is_between_order_statistics_of_the_binomial) {
  std::vector<double> values(20);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i + 1);
  // P(B(20, 1/2) <= 5) = 0.0207, <= 4: 0.0059: the 6th to the 15th value cover 95.9 %.
  EXPECT_EQ(order_interval(sample(values), 0.95), (Interval{6, 15}));
  EXPECT_EQ(order_interval(sample({3, 1, 2}), 0.95), (Interval{1, 3})) << "as wide as the sample goes";
  EXPECT_EQ(order_interval(sample({7}), 0.95), (Interval{7, 7}));
}

// Two equal modes: the median of a sample is in either of them. The bootstrap covers 90 to 92 % there.
TEST(MedianRatio, covers_with_one_mode_and_with_two) {
  constexpr uint64_t kSeed = 7;
  constexpr int kTrials = 2000;
  for (const double modes : {0.0, 0.05}) {
    Random random(kSeed);
    const auto draw = [&] {
      std::vector<double> values(100);
      for (double& value : values)
        value = (1 + (random.uniform() < 0.5 ? modes : 0)) * std::exp(0.01 * random.normal());
      return sample(values);
    };
    int hits = 0;
    for (int trial = 0; trial < kTrials; ++trial)
      hits += median_ratio_interval(draw(), draw(), 0.95).contains(1.0) ? 1 : 0;
    EXPECT_GE(hits, 0.945 * kTrials) << modes << ", seed " << kSeed;
    if (modes == 0) {
      EXPECT_LT(hits, kTrials) << "it can miss";
    }
  }
}

}  // namespace
}  // namespace assay::stats
