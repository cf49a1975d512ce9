// SPDX-License-Identifier: MIT
// Trials with providers that need no GPU: what is the same is called so, and what is slower is found.
#include "measure/trials.hpp"

#include <gtest/gtest.h>

#include "fake_contender.hpp"

namespace assay::measure {
namespace {

class TrialsTest : public testing::Test {
 protected:
  void SetUp() override { ASSAY_NEEDS_PYTHON(); }

  TrialsTest() {
    bench_.spec = &folder_.spec();
    bench_.configuration = *spec::default_configuration(folder_.spec());
    bench_.shapes = *spec::shapes(folder_.spec(), "canonical");
    bench_.sampling.maximum = 100;
    bench_.quiet = true;
  }

  TrialReport run(const std::vector<std::string>& arguments, const TrialRequest& request) {
    bench_.contenders = {fake_contender("kernel", arguments)};
    auto report = run_trials(bench_, request);
    EXPECT_TRUE(report.ok()) << (report ? "" : to_string(report.error()));
    return report ? std::move(*report) : TrialReport();
  }

  ProblemFolder folder_;
  BenchRequest bench_;
};

TEST_F(TrialsTest, tell_the_same_from_the_slower) {
  TrialRequest request;
  request.pairs = 30;
  request.trials = 5;
  request.slowdowns = {0.1, 0.03};
  size_t steps = 0;
  request.on_step = [&](const std::string&) { ++steps; };
  const TrialReport report = run({"--us", "20", "--noise", "0.01"}, request);
  EXPECT_EQ(report.calibration.trials, 30u);
  EXPECT_EQ(report.calibration.false_verdicts, 0u);
  EXPECT_EQ(report.false_comparisons(), 0u);
  EXPECT_GT(report.process_spread(), 0);
  EXPECT_LT(report.process_spread(), 0.005);
  ASSERT_TRUE(report.calibration.side_spread_us);
  EXPECT_GT(*report.calibration.side_spread_us, 0.005) << "1 % of noise in 100 samples of 20 us";
  EXPECT_LT(*report.calibration.side_spread_us, 0.1);
  // 20 us and a delay of 0.5 us on both sides.
  EXPECT_NEAR(report.kernel_us, 20.6, 0.3);
  ASSERT_EQ(report.calibration.detections.size(), 2u);
  for (const judge::Detection& detection : report.calibration.detections) EXPECT_EQ(detection.found, 5u);
  EXPECT_EQ(report.calibration.smallest_detected, 0.03);
  ASSERT_EQ(report.measured_slowdowns.size(), 2u) << "by size";
  EXPECT_NEAR(report.measured_slowdowns[0], 0.03, 0.005);
  EXPECT_NEAR(report.measured_slowdowns[1], 0.1, 0.01);
  EXPECT_EQ(steps, 40u);
}

// A place in memory that costs a tenth is noise to both sides, however steady it is within a round.
TEST_F(TrialsTest, are_not_fooled_by_places_in_memory) {
  TrialRequest request;
  request.pairs = 20;
  const TrialReport report = run({"--us", "20", "--noise", "0", "--behave", "placed"}, request);
  EXPECT_EQ(report.calibration.false_verdicts, 0u);
  EXPECT_LE(report.false_comparisons(), 1u) << "at 1 % each";
}

TEST_F(TrialsTest, report_a_provider_that_is_lost) {
  bench_.contenders = {fake_contender("kernel", {"--behave", "crash", "--at", "sample"})};
  TrialRequest request;
  request.pairs = 1;
  EXPECT_FALSE(run_trials(bench_, request).ok());
}

}  // namespace
}  // namespace assay::measure
