// SPDX-License-Identifier: MIT
#include "judge/calibration.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

std::vector<GateVerdict> verdicts(size_t count, size_t odd, GateVerdict usual, GateVerdict other) {
  std::vector<GateVerdict> result(count, usual);
  for (size_t i = 0; i < odd; ++i) result[i] = other;
  return result;
}

InjectedTrials injected(double slowdown, size_t found) {
  return {slowdown, verdicts(100, found, GateVerdict::inconclusive, GateVerdict::regression)};
}

TEST(Calibration, counts_false_verdicts_with_their_interval) {
  std::vector<GateVerdict> same = verdicts(200, 2, GateVerdict::pass, GateVerdict::regression);
  same[10] = GateVerdict::inconclusive;
  const Calibration result = calibrate(same, {});
  EXPECT_EQ(result.trials, 200u);
  EXPECT_EQ(result.false_verdicts, 2u);
  EXPECT_EQ(result.undecided, 1u);
  EXPECT_DOUBLE_EQ(result.false_rate, 0.01);
  EXPECT_NEAR(result.false_rate_interval.high, 0.0357, 0.0001);
  EXPECT_FALSE(result.smallest_detected.has_value());
}

TEST(Calibration, widens_intervals_where_a_machine_is_worse_than_usual) {
  CompareOptions usual;
  Calibration calibration;
  EXPECT_EQ(widened(usual, std::nullopt), usual);
  EXPECT_EQ(widened(usual, calibration), usual) << "too few trials to know";
  calibration.side_spread_us = usual.process_spread_us / 2;
  EXPECT_EQ(widened(usual, calibration), usual);
  calibration.side_spread_us = 3 * usual.process_spread_us;
  EXPECT_EQ(widened(usual, calibration).process_spread_us, 3 * usual.process_spread_us);
}

TEST(Calibration, finds_the_smallest_slowdown_that_is_found_reliably) {
  const std::vector<InjectedTrials> trials{injected(0.03, 100), injected(0.01, 40), injected(0.02, 95)};
  const Calibration result = calibrate({}, trials);
  ASSERT_EQ(result.detections.size(), 3u);
  EXPECT_EQ(result.detections[0].slowdown, 0.01);
  EXPECT_EQ(result.detections[0].found, 40u);
  EXPECT_EQ(result.smallest_detected, 0.02);
  EXPECT_LT(result.detections[1].interval.low, 0.95);
}

TEST(Calibration, does_not_trust_a_lucky_small_one) {
  const std::vector<InjectedTrials> trials{injected(0.01, 100), injected(0.02, 50), injected(0.03, 100)};
  EXPECT_EQ(calibrate({}, trials).smallest_detected, 0.03);
  EXPECT_EQ(calibrate({}, std::vector<InjectedTrials>{injected(0.03, 94)}).smallest_detected, std::nullopt);
  EXPECT_EQ(calibrate({}, std::vector<InjectedTrials>{{0.03, {}}}).smallest_detected, std::nullopt);
}

TEST(Calibration, is_one_line) {
  EXPECT_EQ(describe(Calibration{}), "not calibrated on this machine");
  const auto same = verdicts(200, 0, GateVerdict::pass, GateVerdict::pass);
  EXPECT_EQ(describe(calibrate(same, std::vector<InjectedTrials>{injected(0.02, 99)})),
            "false verdicts 0 of 200 (at most 1.8 %), finds a slowdown of 2 %");
  EXPECT_EQ(describe(calibrate(same, std::vector<InjectedTrials>{injected(0.02, 9)})),
            "false verdicts 0 of 200 (at most 1.8 %), finds none of the slowdowns that were tried");
}

}  // namespace
}  // namespace assay::judge
