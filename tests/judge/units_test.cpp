// SPDX-License-Identifier: MIT
#include "judge/units.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

Batches batches(size_t count, size_t samples, double time = 10) {
  return Batches(count, Batch{std::vector<double>(samples, time), {}, 1500.0});
}

Batches in_processes(size_t processes, size_t each, size_t samples, double time = 10) {
  Batches all = batches(processes * each, samples, time);
  for (size_t i = 0; i < all.size(); ++i) all[i].process = i / each;
  return all;
}

TEST(Units, are_processes) {
  const Units units = make_units(in_processes(5, 4, 10), in_processes(5, 4, 10), true, false);
  EXPECT_TRUE(units.paired);
  EXPECT_TRUE(units.replicated);
  ASSERT_EQ(units.candidate.size(), 5u);
  EXPECT_EQ(units.candidate[2].size(), 4u);
  EXPECT_EQ(units.baseline[2][0].process, 2u);
  EXPECT_TRUE(units.warnings.empty());
  EXPECT_EQ(joined(units.candidate)[0].microseconds.size(), 40u);
  EXPECT_NEAR(log_level(units.candidate[0], false), std::log(10), 1e-12);
  EXPECT_NEAR(log_level(units.candidate[0], true), std::log(10 * 1500.0), 1e-12);
}

TEST(Units, of_fewer_than_three_processes_are_batches_and_say_so) {
  const Units units = make_units(in_processes(2, 5, 5), in_processes(2, 5, 5), true, false);
  EXPECT_TRUE(units.paired);
  EXPECT_FALSE(units.replicated);
  EXPECT_EQ(units.candidate.size(), 10u);
  ASSERT_EQ(units.warnings.size(), 1u);
  EXPECT_NE(units.warnings[0].find("fewer than 3 processes"), std::string::npos);
}

TEST(Units, join_many_small_batches_in_order) {
  Batches many = batches(101, 1);
  for (size_t i = 0; i < many.size(); ++i) many[i].microseconds[0] = static_cast<double>(i + 1);
  const Units units = make_units(many, batches(101, 1), true, false);
  ASSERT_EQ(units.candidate.size(), kJoinedUnits);
  EXPECT_EQ(units.baseline.size(), kJoinedUnits);
  EXPECT_EQ(units.candidate[0][0].microseconds, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(units.candidate.back()[0].microseconds.back(), 101);
  EXPECT_EQ(units.candidate[3][0].clock_mhz, 1500.0);
}

TEST(Units, of_few_batches_are_stretches_and_not_paired) {
  const Units units = make_units(batches(2, 50), batches(2, 50), true, false);
  EXPECT_FALSE(units.paired);
  EXPECT_EQ(units.candidate.size(), kCutUnits);
  ASSERT_EQ(units.warnings.size(), 2u);
  EXPECT_NE(units.warnings[1].find("only 2 pairs"), std::string::npos);
  EXPECT_EQ(make_units(batches(1, 3), batches(1, 3), true, false).candidate.size(), 3u);
}

TEST(Units, leave_throttled_samples_out_and_pairs_that_are_mostly_throttled) {
  Batches candidate = in_processes(3, 2, 4);
  candidate[0].throttled = {true, false, false, false};
  candidate[1].throttled = {true, true, true, false};
  const Units units = make_units(candidate, in_processes(3, 2, 4), true, false);
  ASSERT_EQ(units.candidate.size(), 3u);
  EXPECT_EQ(units.candidate[0].size(), 1u);
  EXPECT_EQ(units.baseline[0].size(), 1u);
  EXPECT_EQ(units.candidate[0][0].microseconds.size(), 3u);
  EXPECT_EQ(make_units(candidate, in_processes(3, 2, 4), true, true).candidate[0].size(), 2u);
}

TEST(Units, pair_batches_of_the_same_process) {
  Batches candidate = in_processes(4, 2, 4);
  Batches baseline = in_processes(3, 2, 4);
  baseline.pop_back();
  const Units units = make_units(candidate, baseline, true, false);
  ASSERT_EQ(units.candidate.size(), 3u);
  EXPECT_EQ(units.candidate[2].size(), 1u);
  EXPECT_EQ(units.baseline[2].size(), 1u);
  ASSERT_EQ(units.warnings.size(), 1u);
  EXPECT_EQ(units.warnings[0], "8 batches of the candidate and 5 of the baseline: only pairs are compared");
}

TEST(Units, of_separate_runs_keep_their_own_numbers) {
  const Units units = make_units(in_processes(6, 2, 4), in_processes(9, 2, 4), false, false);
  EXPECT_FALSE(units.paired);
  EXPECT_TRUE(units.replicated);
  EXPECT_EQ(units.candidate.size(), 6u);
  EXPECT_EQ(units.baseline.size(), 9u);
}

}  // namespace
}  // namespace assay::judge
