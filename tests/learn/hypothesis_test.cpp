// SPDX-License-Identifier: MIT
#include "learn/hypothesis.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "base/random.hpp"

namespace assay::learn {
namespace {

const Hypothesis& named(const std::string& name) {
  return *std::ranges::find(hypotheses(), name, &Hypothesis::name);
}

std::vector<Practice> cases(const std::string& rule, bool followed, const std::vector<double>& outcomes) {
  std::vector<Practice> all;
  for (const double outcome : outcomes) all.push_back({rule, followed, outcome});
  return all;
}

std::vector<Practice> both(const std::string& rule, const std::vector<double>& with,
                           const std::vector<double>& without) {
  std::vector<Practice> all = cases(rule, true, with);
  for (const Practice& each : cases(rule, false, without)) all.push_back(each);
  return all;
}

TEST(Hypothesis, there_are_twelve_and_each_can_be_judged_or_says_why_not) {
  ASSERT_EQ(hypotheses().size(), 12u);
  std::set<std::string> names;
  for (const Hypothesis& each : hypotheses()) {
    names.insert(each.name);
    EXPECT_FALSE(each.says.empty() || each.against.empty() || each.claimed.empty()) << each.name;
    if (each.rule.empty()) {
      EXPECT_FALSE(each.needs.empty()) << each.name;
      EXPECT_EQ(test(each, {}).verdict, "not in a ledger");
    } else {
      EXPECT_TRUE(each.outcome == "improvement" || each.outcome == "failure" || each.outcome == "seconds") << each.name;
      EXPECT_FALSE(each.cases.empty()) << each.name;
      EXPECT_EQ(test(each, {}).verdict, "unknown");
    }
  }
  EXPECT_EQ(names.size(), 12u);
}

TEST(Hypothesis, data_confirm_or_refute_it) {
  const Hypothesis& profile = named("profile first");
  const std::vector<double> good = {1.1, 1.2, 1.3, 1.25, 1.15, 1.22}, bad = {0.9, 0.99, 1.01, 1.0, 0.95, 0.97};
  EXPECT_EQ(test(profile, both("profile_first", good, bad)).verdict, "confirmed");
  EXPECT_EQ(test(profile, both("profile_first", bad, good)).verdict, "refuted");
  EXPECT_EQ(test(profile, both("profile_first", good, good)).verdict, "unknown");
  EXPECT_EQ(test(profile, both("the_loop", good, bad)).verdict, "unknown") << "cases of another one";
  const Hypothesis& bisect = named("bisect first");
  EXPECT_EQ(test(bisect, both("bisect_first", {1, 2, 3, 4, 5}, {60, 70, 80, 90, 95})).verdict, "confirmed")
      << "of seconds, fewer are better";
}

TEST(Hypothesis, failures_are_compared_by_their_share) {
  std::vector<double> seldom(40, 0.0), often(40, 0.0);
  for (int i = 0; i < 2; ++i) seldom[i] = 1;
  for (int i = 0; i < 20; ++i) often[i] = 1;
  const Tested tested = test(named("static assertions"), both("static_assertions", seldom, often));
  EXPECT_EQ(tested.verdict, "confirmed");
  EXPECT_DOUBLE_EQ(tested.mean_followed, 0.05);
  EXPECT_DOUBLE_EQ(tested.mean_not, 0.5);
}

TEST(Hypothesis, four_cases_prove_nothing) {
  EXPECT_EQ(test(named("the loop"), both("the_loop", {2, 2, 2, 2}, std::vector<double>(100, 1.0))).verdict, "unknown");
}

TEST(Hypothesis, noise_is_seldom_taken_for_a_result) {
  Random random(11);
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> a, b;
    for (int k = 0; k < 12; ++k) a.push_back(1 + random.uniform()), b.push_back(1 + random.uniform());
    wrong += test(named("the loop"), both("the_loop", a, b)).verdict != "unknown" ? 1 : 0;
  }
  EXPECT_LE(wrong, 32) << "8 % of 400, where 5 % are expected";
}

}  // namespace
}  // namespace assay::learn
