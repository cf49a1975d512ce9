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

TEST(Calibration, tells_what_processes_differ_by) {
  const CompareOptions usual;
  Calibration calibration;
  EXPECT_EQ(calibrated(usual, std::nullopt), usual);
  EXPECT_EQ(calibrated(usual, calibration), usual);
  calibration.spread = {{20, 0.01, kSpreadProcesses - 1}};
  EXPECT_EQ(calibrated(usual, calibration), usual) << "too few processes to know";
  calibration.spread = {{20, 0.01, kSpreadProcesses}};
  EXPECT_EQ(calibrated(usual, calibration).process_spread, (ProcessSpread{0.01, 0}));
}

TEST(Calibration, keeps_what_was_learned_at_other_lengths) {
  const std::vector<SpreadPoint> newer{{20, 0.004, 60}};
  const std::vector<SpreadPoint> older{{2000, 0.002, 60}, {21, 0.009, 60}};
  EXPECT_EQ(merged(newer, older), (std::vector<SpreadPoint>{{20, 0.004, 60}, {2000, 0.002, 60}}));
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
