// SPDX-License-Identifier: MIT
#include "learn/pattern.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "recorded.hpp"

namespace assay::learn {
namespace {

Trial trial(const std::string& configuration, double time_us, const std::string& shape = "S=1",
            const std::string& source = "aaaaaaaaaa") {
  Trial made;
  made.kernel = "k";
  made.device = "d";
  made.shape = shape;
  made.source = source;
  made.values = read_values(configuration);
  made.time_us = time_us;
  made.seconds = 2;
  return made;
}

TEST(Pattern, pairs_differ_in_one_tunable_at_one_place) {
  const std::vector<Trial> trials = {
      trial("A=1,B=1", 10), trial("A=2,B=1", 5),           trial("A=2,B=2", 5),
      trial("A=1,B=2", 10), trial("A=1,B=1", 100, "S=64"), trial("A=2,B=1", 50, "S=64"),
  };
  const std::vector<Pattern> patterns = mine(trials, 1);
  ASSERT_EQ(patterns.size(), 2u);
  EXPECT_EQ(patterns[0].action, "A 1 -> 2");
  EXPECT_EQ(patterns[0].outcomes.wins, 3u);
  EXPECT_DOUBLE_EQ(patterns[0].outcomes.median, 2);
  EXPECT_EQ(patterns[1].outcomes.ties, 2u) << patterns[1].action;
  EXPECT_EQ(mine(trials, 3).size(), 1u) << "two pairs are no pattern yet";
}

TEST(Pattern, a_step_is_told_in_the_direction_that_pays) {
  const std::vector<Trial> trials = {trial("A=16", 10), trial("A=8", 5), trial("A=16", 20, "b"), trial("A=8", 9, "b")};
  const std::vector<Pattern> patterns = mine(trials, 2);
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns[0].action, "A 16 -> 8");
  EXPECT_EQ(patterns[0].outcomes.wins, 2u);
  EXPECT_GT(patterns[0].outcomes.expected, 1);
}

TEST(Pattern, few_pairs_are_shrunk_towards_unknown) {
  const Outcomes one = summarize({2});
  const Outcomes many = summarize(std::vector<double>(100, 2.0));
  EXPECT_LT(one.expected, 1.2);
  EXPECT_GT(many.expected, 1.9);
  EXPECT_DOUBLE_EQ(one.median, 2);
}

TEST(Pattern, the_interval_of_the_median_is_that_of_order_statistics) {
  std::vector<double> ratios;
  for (int i = 1; i <= 20; ++i) ratios.push_back(i);
  const Outcomes outcomes = summarize(ratios);
  EXPECT_DOUBLE_EQ(outcomes.interval.low, 6);  // ranks 6 and 15 of 20 hold the median with 95.9 %
  EXPECT_DOUBLE_EQ(outcomes.interval.high, 15);
}

TEST(Pattern, sources_of_one_configuration_are_compared_in_their_order) {
  const std::vector<Trial> trials = {trial("A=1", 10, "S", "0123456789"), trial("A=1", 8, "S", "abcdefghij"),
                                     trial("A=1", 8, "S", "abcdefghij")};
  const std::vector<Pattern> patterns = mine(trials, 1);
  ASSERT_EQ(patterns.size(), 1u);
  EXPECT_EQ(patterns[0].action, "source 01234567 -> abcdefgh");
  EXPECT_DOUBLE_EQ(patterns[0].outcomes.median, 1.25);
}

TEST(Pattern, sources_that_differ_in_one_finding_tell_what_it_cost) {
  Trial with = trial("A=1", 10, "S", "0123456789"), without = trial("A=1", 8, "S", "abcdefghij");
  with.findings = {"bank_conflicts", "dram_bound"};
  without.findings = {"dram_bound"};
  const auto actions = [](const std::vector<Pattern>& patterns) {
    std::set<std::string> all;
    for (const Pattern& each : patterns) all.insert(each.action);
    return all;
  };
  EXPECT_TRUE(actions(mine({with, without}, 1)).contains("finding bank_conflicts mended"));
  EXPECT_TRUE(actions(mine({without, with}, 1)).contains("finding bank_conflicts brought in"));
  without.findings = {"few_warps"};
  EXPECT_EQ(actions(mine({with, without}, 1)).size(), 1u) << "three findings differ: nobody knows which it was";
  without.findings.reset();
  EXPECT_EQ(actions(mine({with, without}, 1)).size(), 1u) << "nobody looked";
}

TEST(Pattern, nothing_is_learned_from_nothing) {
  EXPECT_TRUE(mine({}).empty());
  EXPECT_TRUE(mine({trial("A=1", 0), trial("A=2", -1), trial("A=3", 5)}, 1).empty());
}

TEST(Pattern, the_recorded_products_say_that_clusters_do_not_pay) {
  std::vector<Trial> trials = recorded("4096");
  const std::vector<Trial> more = recorded("8192");
  trials.insert(trials.end(), more.begin(), more.end());
  const std::vector<Pattern> patterns = mine(trials);
  const auto found = std::find_if(patterns.begin(), patterns.end(),
                                  [](const Pattern& each) { return each.action == "CLUSTER 2 -> 1"; });
  ASSERT_NE(found, patterns.end());
  EXPECT_GT(found->outcomes.count(), 100u);
  EXPECT_GT(found->outcomes.interval.low, 1.05);
}

}  // namespace
}  // namespace assay::learn
