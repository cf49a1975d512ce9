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

// Both counters are judged; 1000 of each before.
CounterJudgement judged(uint64_t sectors, uint64_t wavefronts, bool strict = false) {
  return judge_counters(compare_counters({{"sectors", sectors}, {"wavefronts", wavefronts}},
                                         {{"sectors", 1000}, {"wavefronts", 1000}}, 0.01, {"sectors", "wavefronts"}),
                        0.01, strict);
}

TEST(Counters, change_from_the_threshold_on) {
  EXPECT_EQ(trend(1000, 1000), CounterTrend::same);
  EXPECT_EQ(trend(1009, 1000), CounterTrend::slight);
  EXPECT_EQ(trend(1010, 1000), CounterTrend::grew);
  EXPECT_EQ(trend(990, 1000), CounterTrend::fell);
  EXPECT_EQ(trend(991, 1000), CounterTrend::slight);
  EXPECT_EQ(trend(1001, 1000, 0), CounterTrend::grew);
  EXPECT_EQ(trend(1, 0), CounterTrend::grew);
  EXPECT_EQ(trend(0, 0), CounterTrend::same);
  EXPECT_EQ(trend(0, 7), CounterTrend::fell);
  EXPECT_EQ(trend(std::numeric_limits<uint64_t>::max(), 1), CounterTrend::grew);
}

TEST(Counters, know_their_growth_and_what_only_one_side_has) {
  const auto changes = compare_counters({{"a", 103}, {"b", 5}, {"d", 3}, {"d.part", 9}},
                                        {{"a", 100}, {"c", 7}, {"d", 0}, {"a.part", 3}}, 0.01, {"a"});
  ASSERT_EQ(changes.size(), 6u);
  EXPECT_NEAR(changes[0].growth, 0.03, 1e-15);
  EXPECT_TRUE(changes[0].judged);
  EXPECT_EQ(changes[1], (CounterChange{"a.part", 3, 0, -1, CounterTrend::fell, false}))
      << "a part that is not listed is 0";
  EXPECT_EQ(changes[2], (CounterChange{"b", 0, 5, 0, CounterTrend::added, false}));
  EXPECT_EQ(changes[3], (CounterChange{"c", 7, 0, 0, CounterTrend::removed, false}));
  EXPECT_TRUE(std::isinf(changes[4].growth));
  EXPECT_EQ(changes[5].trend, CounterTrend::grew);
}

TEST(Counters, that_the_baseline_does_not_have_are_no_pass) {
  const auto judged_of = [](const Counters& baseline) {
    return judge_counters(compare_counters({{"a", 3}, {"b", 5}, {"zero", 0}}, baseline, 0.01, {"a", "b", "zero"}), 0.01,
                          false);
  };
  EXPECT_EQ(judged_of({{"a", 3}, {"b", 5}}).verdict, GateVerdict::pass) << "nothing of it is there now";
  EXPECT_EQ(judged_of({{"a", 3}}).verdict, GateVerdict::inconclusive);
  EXPECT_EQ(judged_of({{"a", 3}}).reason, "not in the baseline: b; save one anew");
  EXPECT_EQ(judged_of({{"a", 1}}).verdict, GateVerdict::regression) << "what grew grew";
}

TEST(Counters, that_grow_alone_are_a_regression) {
  EXPECT_EQ(judged(1010, 1000).verdict, GateVerdict::regression);
  EXPECT_EQ(judged(1010, 1000).reason, "counters grew: sectors from 1000 to 1010 (+1.00 %)");
  EXPECT_EQ(judged(1010, 999).verdict, GateVerdict::regression) << "a fall below the threshold buys nothing";
}

TEST(Counters, that_grow_while_others_fall_are_a_trade) {
  EXPECT_EQ(judged(1010, 990).verdict, GateVerdict::trade);
  EXPECT_EQ(judged(1010, 990, true).verdict, GateVerdict::regression);
  EXPECT_EQ(judged(1000, 990).verdict, GateVerdict::pass);
}

TEST(Counters, that_grow_a_little_pass_and_are_named) {
  EXPECT_EQ(judged(1009, 1000).verdict, GateVerdict::pass);
  EXPECT_EQ(judged(1009, 1000).reason, "growth below 1 %: sectors from 1000 to 1009 (+0.90 %)");
  EXPECT_EQ(judged(1000, 1000).reason, "no judged counter grew");
}

TEST(Counters, that_are_not_judged_decide_nothing) {
  const auto changes =
      compare_counters({{"sectors", 1}, {"requests", 9}}, {{"sectors", 1}, {"requests", 3}}, 0.01, {"sectors"});
  EXPECT_EQ(judge_counters(changes, 0.01, true).verdict, GateVerdict::pass);
  EXPECT_TRUE(worth_showing(changes[0])) << "but shown";
}

}  // namespace
}  // namespace assay::judge
