// SPDX-License-Identifier: MIT
#include "judge/counters.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace assay::judge {
namespace {

CounterTrend trend(uint64_t candidate, uint64_t baseline, double threshold = 0.01) {
  return compare_counters({{"sectors", candidate}}, {{"sectors", baseline}}, threshold).at(0).trend;
}

TEST(Counters, change_from_the_threshold_on) {
  EXPECT_EQ(trend(1000, 1000), CounterTrend::same);
  EXPECT_EQ(trend(1009, 1000), CounterTrend::same);
  EXPECT_EQ(trend(1010, 1000), CounterTrend::worse);
  EXPECT_EQ(trend(990, 1000), CounterTrend::better);
  EXPECT_EQ(trend(991, 1000), CounterTrend::same);
  EXPECT_EQ(trend(1001, 1000, 0), CounterTrend::worse);
  EXPECT_EQ(trend(1, 0), CounterTrend::worse);
  EXPECT_EQ(trend(0, 0), CounterTrend::same);
  EXPECT_EQ(trend(0, 7), CounterTrend::better);
  EXPECT_EQ(trend(std::numeric_limits<uint64_t>::max(), 1), CounterTrend::worse);
}

TEST(Counters, know_their_growth_and_what_only_one_side_has) {
  const auto changes = compare_counters({{"a", 103}, {"b", 5}, {"d", 3}, {"tensor", 9}},
                                        {{"a", 100}, {"c", 7}, {"d", 0}, {"tensor", 3}}, 0.01, {"tensor"});
  ASSERT_EQ(changes.size(), 5u);
  EXPECT_NEAR(changes[0].growth, 0.03, 1e-15);
  EXPECT_EQ(changes[1], (CounterChange{"b", 0, 5, 0, CounterTrend::added}));
  EXPECT_EQ(changes[2], (CounterChange{"c", 7, 0, 0, CounterTrend::removed}));
  EXPECT_TRUE(std::isinf(changes[3].growth));
  EXPECT_EQ(changes[4].trend, CounterTrend::changed);
}

}  // namespace
}  // namespace assay::judge
