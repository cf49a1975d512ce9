// SPDX-License-Identifier: MIT
#include "stats/ratio_estimate.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "stats/distribution.hpp"

namespace assay::stats {
namespace {

constexpr uint64_t kSeed = 13;

std::vector<double> logs(size_t count, double center, double deviation, Random& random) {
  std::vector<double> values(count);
  for (double& x : values) x = center + deviation * random.normal();
  return values;
}

TEST(RatioEstimate, is_students_test_on_log_ratios) {
  const RatioEstimate estimate = paired_ratio(std::vector<double>{0.01, 0.02, 0.03, 0.04}, 0);
  EXPECT_DOUBLE_EQ(estimate.log_ratio, 0.025);
  EXPECT_NEAR(estimate.standard_error, 0.006454972243679028, 1e-15);
  EXPECT_DOUBLE_EQ(estimate.degrees, 3);
  const double t = 0.025 / 0.006454972243679028;
  EXPECT_NEAR(estimate.p_slower(), student_above(t, 3), 1e-12);
  EXPECT_NEAR(estimate.p_different(), 2 * student_above(t, 3), 1e-12);
  EXPECT_NEAR(estimate.p_faster(), 1 - student_above(t, 3), 1e-12);
  EXPECT_NEAR(estimate.interval(0.95).high, std::exp(0.025 + 3.182446305 * 0.006454972244), 1e-9);
  EXPECT_NEAR(estimate.p_outside(0.1), student_below((0.025 - std::log1p(0.1)) / 0.006454972243679028, 3), 1e-12);
}

TEST(RatioEstimate, without_noise_is_certain_and_with_one_unit_knows_nothing) {
  const RatioEstimate certain = paired_ratio(std::vector<double>(6, 0.02), 0);
  EXPECT_EQ(certain.p_slower(), 0);
  EXPECT_EQ(certain.p_faster(), 1);
  EXPECT_EQ(certain.p_outside(0.03), 0);
  EXPECT_EQ(certain.p_outside(0.01), 1);
  const RatioEstimate none = paired_ratio(std::vector<double>(6, 0.0), 0);
  EXPECT_EQ(none.p_different(), 1);
  const RatioEstimate one = paired_ratio(std::vector<double>{0.5}, 0);
  EXPECT_FALSE(one.usable());
  EXPECT_EQ(one.p_different(), 1);
  EXPECT_EQ(one.p_outside(0.9), 1);
  EXPECT_TRUE(std::isinf(one.interval(0.95).high));
}

TEST(RatioEstimate, covers_the_truth_paired_and_unpaired) {
  Random random(kSeed);
  int paired = 0;
  int unpaired = 0;
  int processes = 0;
  int blind = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    paired += paired_ratio(logs(12, 0.03, 0.01, random), 0).interval(0.95).contains(std::exp(0.03));
    // Processes differ, too: only the given spread can know.
    const double levels = 0.0035 * (random.normal() - random.normal());
    processes += trimmed_ratio(logs(12, 0.03 + levels, 0.01, random), 0.0035).interval(0.95).contains(std::exp(0.03));
    blind += trimmed_ratio(logs(12, 0.03 + levels, 0.002, random), 0).interval(0.95).contains(std::exp(0.03));
    // And so do whole runs.
    const double run_a = 3.03 + 0.005 * random.normal();
    const double run_b = 3.00 + 0.005 * random.normal();
    unpaired += unpaired_ratio(logs(12, run_a, 0.01, random), logs(15, run_b, 0.02, random), 0.005)
                    .interval(0.95)
                    .contains(std::exp(0.03));
  }
  for (const int hits : {paired, unpaired, processes}) {
    EXPECT_GT(hits, 0.925 * kTrials) << "seed " << kSeed;
    EXPECT_LT(hits, 0.975 * kTrials) << "seed " << kSeed;
  }
  EXPECT_LT(blind, 0.5 * kTrials) << "seed " << kSeed << ": the scatter of batches does not show it";
}

TEST(RatioEstimate, of_batches_is_no_sharper_than_processes_repeat) {
  const std::vector<double> flat(10, 0.02);
  EXPECT_NEAR(trimmed_ratio(flat, 0.0035).standard_error, 0.0035 * std::sqrt(2.0), 1e-15);
  EXPECT_GT(trimmed_ratio(flat, 0.0035).degrees, 1e6);
  EXPECT_FALSE(trimmed_ratio(std::vector<double>{0.5}, 0.0035).usable());
}

// Six pairs that agree by luck are not believed on a machine whose pairs were seen to differ; ones that differ more
// than expected are taken at their word.
TEST(RatioEstimate, expects_what_was_seen_before) {
  const std::vector<double> lucky(6, 0.02);
  EXPECT_NEAR(paired_ratio(lucky, 0.01).standard_error, 0.01 * std::sqrt(6.0 / 11 / 6), 1e-15);
  EXPECT_EQ(paired_ratio(lucky, 0.01).degrees, 5);
  const std::vector<double> wide{-0.05, 0.05, -0.05, 0.05};
  EXPECT_EQ(paired_ratio(wide, 0.001).standard_error, paired_ratio(wide, 0).standard_error);
}

TEST(RatioEstimate, of_separate_runs_is_no_sharper_than_runs_repeat) {
  const std::vector<double> flat(10, 1.0);
  EXPECT_NEAR(unpaired_ratio(flat, flat, 0.005).standard_error, 0.005 * std::sqrt(2.0), 1e-15);
  EXPECT_TRUE(std::isinf(unpaired_ratio(flat, flat, 0.005).degrees));
  EXPECT_FALSE(unpaired_ratio(flat, std::vector<double>{1.0}, 0.005).usable());
}

}  // namespace
}  // namespace assay::stats
