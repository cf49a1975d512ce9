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

TEST(Schedule, gives_every_contender_one_turn_a_round) {
  for (const size_t contenders : {size_t{1}, size_t{2}, size_t{5}}) {
    Schedule schedule(contenders, kSeed);
    std::vector<size_t> all(contenders);
    for (size_t i = 0; i < contenders; ++i) all[i] = i;
    for (int round = 0; round < 20; ++round) EXPECT_EQ(sorted(schedule.next_round()), all) << contenders;
  }
}

TEST(Schedule, runs_each_second_round_backwards) {
  Schedule schedule(4, kSeed);
  for (int pair = 0; pair < 20; ++pair) {
    const std::vector<size_t> forwards = schedule.next_round();
    std::vector<size_t> backwards = schedule.next_round();
    std::reverse(backwards.begin(), backwards.end());
    EXPECT_EQ(forwards, backwards) << pair;
  }
}

TEST(Schedule, draws_each_pair_of_rounds_anew) {
  Schedule schedule(4, kSeed);
  std::set<std::vector<size_t>> seen;
  std::set<size_t> first;
  for (int pair = 0; pair < 40; ++pair) {
    const std::vector<size_t> round = schedule.next_round();
    seen.insert(round);
    first.insert(round[0]);
    schedule.next_round();
  }
  EXPECT_GE(seen.size(), 10u) << "of the 24 orders";
  EXPECT_EQ(first.size(), 4u) << "anyone may be the first";
}

TEST(Schedule, takes_all_sets_equally_often) {
  Schedule schedule(1, kSeed);
  std::vector<int> seen(4);
  for (const size_t set : schedule.sets(12, 4)) ++seen.at(set);
  EXPECT_EQ(seen, (std::vector<int>{3, 3, 3, 3}));
  std::fill(seen.begin(), seen.end(), 0);
  for (const size_t set : schedule.sets(10, 4)) ++seen.at(set);
  for (const int count : seen) EXPECT_TRUE(count == 2 || count == 3) << "as equally as ten can be shared by four";
  EXPECT_EQ(schedule.sets(3, 1), (std::vector<size_t>{0, 0, 0}));
  EXPECT_TRUE(schedule.sets(0, 4).empty());
}

TEST(Schedule, draws_an_order_that_cannot_be_foreseen) {
  Schedule schedule(1, kSeed);
  std::set<std::vector<size_t>> orders;
  for (int i = 0; i < 20; ++i) orders.insert(schedule.sets(10, 4));
  EXPECT_EQ(orders.size(), 20u);
  std::set<int> bytes;
  for (int i = 0; i < 2000; ++i) bytes.insert(schedule.poison());
  EXPECT_GE(bytes.size(), 250u) << "nearly every byte is a poison";
}

TEST(Schedule, repeats_itself_with_the_same_seed_only) {
  const auto course = [](uint64_t seed) {
    Schedule schedule(5, seed);
    std::vector<size_t> all;
    for (int i = 0; i < 10; ++i) {
      for (const size_t index : schedule.next_round()) all.push_back(index);
      for (const size_t set : schedule.sets(10, 4)) all.push_back(set);
      all.push_back(schedule.poison());
    }
    return all;
  };
  EXPECT_EQ(course(kSeed), course(kSeed));
  EXPECT_NE(course(kSeed), course(kSeed + 1));
}

}  // namespace
}  // namespace assay::measure
