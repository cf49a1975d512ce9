// SPDX-License-Identifier: MIT
// Trials with providers that need no GPU: what is the same is called so, and what is slower is found.
#include "measure/trials.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
    bench_.sampling.plan.batches = 2;
    bench_.sampling.plan.first = 4;
    bench_.sampling.plan.most = 4;
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
  request.pairs = 8;
  request.trials = 3;
  request.slowdowns = {0.2, 0.1};
  size_t steps = 0;
  request.on_step = [&](const std::string&) { ++steps; };
  const TrialReport report = run({"--us", "20", "--noise", "0.01"}, request);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.calibration.trials, 8u);
  EXPECT_EQ(report.calibration.false_verdicts, 0u);
  EXPECT_EQ(report.false_comparisons(), 0u);
  ASSERT_EQ(report.calibration.spread.size(), 1u);
  EXPECT_EQ(report.calibration.spread[0].processes, 32u);
  EXPECT_GT(report.calibration.spread[0].deviation, 0.0005) << "1 % of noise in 20 samples";
  EXPECT_LT(report.calibration.spread[0].deviation, 0.01);
  // 20 us and a delay of 0.5 us on both sides.
  EXPECT_NEAR(report.kernel_us, 20.6, 0.3);
  ASSERT_EQ(report.calibration.detections.size(), 2u);
  for (const judge::Detection& detection : report.calibration.detections) EXPECT_EQ(detection.found, 3u);
  EXPECT_EQ(report.calibration.smallest_detected, 0.1);
  ASSERT_EQ(report.measured_slowdowns.size(), 2u) << "by size";
  EXPECT_NEAR(report.measured_slowdowns[0], 0.1, 0.01);
  EXPECT_NEAR(report.measured_slowdowns[1], 0.2, 0.02);
  EXPECT_EQ(steps, 14u);
}

TEST_F(TrialsTest, go_on_where_they_were) {
  TrialRequest request;
  request.pairs = 3;
  request.trials = 1;
  request.slowdowns = {0.1};
  std::vector<Trial> told;
  request.on_trial = [&](const Trial& trial) -> Result<bool> {
    told.push_back(trial);
    return told.size() < 2;
  };
  const TrialReport stopped = run({"--us", "20"}, request);
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.same.size(), 2u);
  request.done = told;
  told.clear();
  request.on_trial = [&](const Trial& trial) -> Result<bool> {
    told.push_back(trial);
    return true;
  };
  const TrialReport rest = run({"--us", "20"}, request);
  EXPECT_TRUE(rest.complete);
  EXPECT_EQ(told.size(), 2u) << "one of the same kernel, one slower";
  EXPECT_EQ(rest.same.size(), 3u);
  EXPECT_EQ(rest.same[0], stopped.same[0]);
  EXPECT_EQ(*trial_from_json(to_json(rest.same[0])), rest.same[0]);
}

// A place in memory that costs a tenth is noise to both sides, however steady it is within a process.
TEST_F(TrialsTest, are_not_fooled_by_places_in_memory) {
  // Places are the system's randomness: of four pairs of processes all are odd beside even in one comparison of 256, of
  // seven in one of 16,384.
  bench_.sampling.plan.first = bench_.sampling.plan.most = 7;
  TrialRequest request;
  request.pairs = 10;
  const TrialReport report = run({"--us", "20", "--noise", "0", "--behave", "placed"}, request);
  EXPECT_EQ(report.calibration.false_verdicts, 0u);
  EXPECT_LE(report.false_comparisons(), 1u) << "at 1 % each";
  EXPECT_GT(report.calibration.spread[0].deviation, 0.02);
}

TEST_F(TrialsTest, report_a_provider_that_is_lost) {
  bench_.contenders = {fake_contender("kernel", {"--behave", "crash", "--at", "sample"})};
  TrialRequest request;
  request.pairs = 1;
  EXPECT_FALSE(run_trials(bench_, request).ok());
}

}  // namespace
}  // namespace assay::measure
