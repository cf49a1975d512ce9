// SPDX-License-Identifier: MIT
#include "measure/schedule.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace assay::measure {
namespace {

constexpr uint64_t kSeed = 11;

std::vector<size_t> sorted(std::vector<size_t> list) {
  std::sort(list.begin(), list.end());
  return list;
}

constexpr size_t kSamples = 10;
constexpr size_t kSets = 4;

std::vector<size_t> contenders(Schedule& schedule) {
  return schedule.next_round(kSamples, kSets).contenders;
}

TEST(Schedule, gives_every_contender_one_turn_a_round) {
  for (const size_t count : {size_t{1}, size_t{2}, size_t{5}}) {
    Schedule schedule(count, kSeed);
    std::vector<size_t> all(count);
    for (size_t i = 0; i < count; ++i) all[i] = i;
    for (int round = 0; round < 20; ++round) EXPECT_EQ(sorted(contenders(schedule)), all) << count;
  }
}

TEST(Schedule, runs_each_second_round_backwards) {
  Schedule schedule(4, kSeed);
  for (int pair = 0; pair < 20; ++pair) {
    const std::vector<size_t> forwards = contenders(schedule);
    std::vector<size_t> backwards = contenders(schedule);
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(forwards, backwards) << pair;
  }
}

TEST(Schedule, draws_each_pair_of_rounds_anew) {
  Schedule schedule(4, kSeed);
  std::set<std::vector<size_t>> seen;
  std::set<size_t> first;
  for (int pair = 0; pair < 40; ++pair) {
    const std::vector<size_t> round = contenders(schedule);
    seen.insert(round);
    first.insert(round[0]);
    contenders(schedule);
  }
  EXPECT_GE(seen.size(), 10u) << "of the 24 orders";
  EXPECT_EQ(first.size(), 4u) << "anyone may be the first";
}

TEST(Schedule, lets_the_sets_take_turns_behind_a_lead_in) {
  Schedule schedule(1, kSeed);
  const BatchPlan plan = schedule.plan(kSamples, kSets);
  EXPECT_EQ(plan.lead_in, kSets);
  ASSERT_EQ(plan.sets.size(), kSets + kSamples);
  EXPECT_EQ(plan.poisons.size(), plan.sets.size());
  EXPECT_EQ(sorted({plan.sets.begin(), plan.sets.begin() + kSets}), (std::vector<size_t>{0, 1, 2, 3}));
  for (size_t i = kSets; i < plan.sets.size(); ++i) EXPECT_EQ(plan.sets[i], plan.sets[i - kSets]) << i;
}

TEST(Schedule, keeps_the_lead_in_no_longer_than_the_block) {
  Schedule schedule(1, kSeed);
  EXPECT_EQ(schedule.plan(kSamples, 64).lead_in, kSamples);
  EXPECT_EQ(schedule.plan(3, 1).sets, (std::vector<size_t>{0, 0, 0, 0}));
}

TEST(Schedule, draws_an_order_that_cannot_be_foreseen) {
  Schedule schedule(1, kSeed);
  std::set<std::vector<size_t>> orders;
  for (int i = 0; i < 100; ++i) orders.insert(schedule.plan(kSamples, kSets).sets);
  EXPECT_EQ(orders.size(), 24u) << "all orders of four";
  std::set<int> bytes;
  for (const uint8_t byte : schedule.poisons(2000)) bytes.insert(byte);
  EXPECT_GE(bytes.size(), 250u) << "nearly every byte is a poison";
}

TEST(Schedule, repeats_itself_with_the_same_seed_only) {
  const auto course = [](uint64_t seed) {
    Schedule schedule(5, seed);
    std::vector<size_t> all;
    for (int i = 0; i < 10; ++i) {
      const Round round = schedule.next_round(kSamples, kSets);
      all.insert(all.end(), round.contenders.begin(), round.contenders.end());
      all.insert(all.end(), round.plan.sets.begin(), round.plan.sets.end());
      all.insert(all.end(), round.plan.poisons.begin(), round.plan.poisons.end());
    }
    return all;
  };
  EXPECT_EQ(course(kSeed), course(kSeed));
  EXPECT_NE(course(kSeed), course(kSeed + 1));
}

}  // namespace
}  // namespace assay::measure
