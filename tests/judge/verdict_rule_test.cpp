// SPDX-License-Identifier: MIT
#include "judge/verdict_rule.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

stats::RatioEstimate ratio(double value, double error, double degrees = 9) {
  return {std::log(value), error, degrees, 10};
}

Verdict verdict(const stats::RatioEstimate& time, std::optional<stats::RatioEstimate> cycles = std::nullopt) {
  return decide({.time = time, .cycles = cycles}, {}).verdict;
}

TEST(VerdictRule, needs_significance_and_an_effect) {
  EXPECT_EQ(verdict(ratio(1.03, 0.002)), Verdict::slower);
  EXPECT_EQ(verdict(ratio(0.97, 0.002)), Verdict::faster);
  EXPECT_EQ(verdict(ratio(1.03, 0.02)), Verdict::inconclusive);  // an effect, not significant
  EXPECT_EQ(verdict(ratio(1.008, 0.0005)), Verdict::same);       // significant, no effect
  EXPECT_EQ(verdict(ratio(1.01, 0)), Verdict::slower);           // exactly the smallest effect, without noise
}

TEST(VerdictRule, says_same_only_if_the_margin_is_ruled_out) {
  EXPECT_EQ(verdict(ratio(1.0, 0.002)), Verdict::same);
  EXPECT_EQ(verdict(ratio(1.0, 0.02)), Verdict::inconclusive);  // p = 1, yet nothing is known
  EXPECT_EQ(verdict(ratio(1.0, 0.0)), Verdict::same);
}

TEST(VerdictRule, with_too_few_units_knows_nothing) {
  EXPECT_EQ(verdict(ratio(2.0, 0, 0)), Verdict::inconclusive);
}

TEST(VerdictRule, believes_a_difference_only_if_cycles_show_it) {
  EXPECT_EQ(verdict(ratio(1.03, 0.002), ratio(1.03, 0.003)), Verdict::slower);
  EXPECT_EQ(verdict(ratio(1.03, 0.002), ratio(1.006, 0.001)), Verdict::slower);  // part of it was the clock
  const Decision clocks = decide({.time = ratio(1.03, 0.002), .cycles = ratio(1.001, 0.002)}, {});
  EXPECT_EQ(clocks.verdict, Verdict::inconclusive);
  EXPECT_NE(clocks.reason.find("the clocks differed"), std::string::npos);
  EXPECT_EQ(verdict(ratio(1.03, 0.002), ratio(0.97, 0.002)), Verdict::inconclusive);
  EXPECT_EQ(verdict(ratio(1.0, 0.002), ratio(1.05, 0.002)), Verdict::same);  // there is nothing to confirm
}

TEST(VerdictRule, does_not_judge_throttled_runs) {
  Evidence evidence{.time = ratio(1.5, 0.001), .candidate_throttled = 0.5, .baseline_throttled = 0.0};
  const Decision decision = decide(evidence, {});
  EXPECT_EQ(decision.verdict, Verdict::throttled);
  EXPECT_EQ(decision.reason, "50 % of the candidate's and 0 % of the baseline's samples were throttled");
  evidence.candidate_throttled = 0.2;
  EXPECT_EQ(decide(evidence, {}).verdict, Verdict::slower);
}

TEST(VerdictRule, gives_the_figures_as_its_reason) {
  EXPECT_EQ(decide({.time = ratio(1.03, 0)}, {}).reason,
            "3.00 % slower (99.5 % interval: 3.00 % slower to 3.00 % slower)");
  EXPECT_EQ(decide({.time = ratio(1, 0)}, {}).reason,
            "the same within 3 %: 0.00 % (99.5 % interval: 0.00 % to 0.00 %)");
}

}  // namespace
}  // namespace assay::judge
