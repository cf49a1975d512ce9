// SPDX-License-Identifier: MIT
#include "judge/units.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

Blocks blocks(size_t count, size_t samples, double time = 10) {
  return Blocks(count, Block{std::vector<double>(samples, time), {}, 1500.0});
}

TEST(Units, are_the_blocks_if_there_are_enough) {
  const Units units = make_units(blocks(10, 5), blocks(10, 5), true, false);
  EXPECT_TRUE(units.paired);
  EXPECT_EQ(units.candidate.size(), 10u);
  EXPECT_TRUE(units.warnings.empty());
}

TEST(Units, join_many_small_blocks_in_order) {
  Blocks many = blocks(101, 1);
  for (size_t i = 0; i < many.size(); ++i) many[i].microseconds[0] = static_cast<double>(i + 1);
  const Units units = make_units(many, blocks(101, 1), true, false);
  ASSERT_EQ(units.candidate.size(), kJoinedUnits);
  EXPECT_EQ(units.baseline.size(), kJoinedUnits);
  EXPECT_EQ(units.candidate[0].microseconds, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(units.candidate.back().microseconds.back(), 101);
  EXPECT_EQ(sample_count(units.candidate), 101u);
  EXPECT_EQ(units.candidate[3].clock_mhz, 1500.0);
}

TEST(Units, of_few_blocks_are_stretches_and_not_paired) {
  const Units units = make_units(blocks(2, 50), blocks(2, 50), true, false);
  EXPECT_FALSE(units.paired);
  EXPECT_EQ(units.candidate.size(), kCutUnits);
  EXPECT_EQ(sample_count(units.candidate), 100u);
  ASSERT_EQ(units.warnings.size(), 1u);
  EXPECT_NE(units.warnings[0].find("only 2 pairs"), std::string::npos);
  EXPECT_EQ(make_units(blocks(1, 3), blocks(1, 3), true, false).candidate.size(), 3u);
}

TEST(Units, leave_throttled_samples_out_and_pairs_that_are_mostly_throttled) {
  Blocks candidate = blocks(6, 4);
  candidate[0].throttled = {true, false, false, false};
  candidate[1].throttled = {true, true, true, false};
  const Units units = make_units(candidate, blocks(6, 4), true, false);
  EXPECT_EQ(units.candidate.size(), 5u);
  EXPECT_EQ(units.baseline.size(), 5u);
  EXPECT_EQ(units.candidate[0].microseconds.size(), 3u);
  EXPECT_EQ(sample_count(make_units(candidate, blocks(6, 4), true, true).candidate), 24u);
}

TEST(Units, pair_what_can_be_paired_and_say_what_was_not) {
  const Units units = make_units(blocks(6, 4), blocks(5, 4), true, false);
  EXPECT_EQ(units.candidate.size(), 5u);
  ASSERT_EQ(units.warnings.size(), 1u);
  EXPECT_EQ(units.warnings[0], "6 blocks of the candidate and 5 of the baseline: 5 pairs are compared");
}

TEST(Units, of_separate_runs_keep_their_own_numbers) {
  const Units units = make_units(blocks(6, 4), blocks(9, 4), false, false);
  EXPECT_FALSE(units.paired);
  EXPECT_EQ(units.candidate.size(), 6u);
  EXPECT_EQ(units.baseline.size(), 9u);
}

}  // namespace
}  // namespace assay::judge
