// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_clock.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>

#include "vgpu/observe/lane_meetings.hpp"
#include "vgpu/observe/record_verdicts.hpp"

namespace assay::vgpu {
namespace {

TEST(BlockClocks, AreFoundWhereverTheyLie) {
  std::mt19937 random(20261118);
  for (const uint32_t blocks : {1u, 5u, 64u, 1000u}) {
    std::map<uint32_t, std::shared_ptr<const BlockClock>> plain;
    BlockClocks clocks;
    for (uint32_t i = 0; i < blocks / 2 + 1; ++i) {
      const auto block = static_cast<uint32_t>(random() % blocks);
      plain[block] = std::make_shared<BlockClock>();
      clocks.set(block, plain[block]);
    }
    for (uint32_t block = 0; block < blocks + 2; ++block) {
      const auto* const found = clocks.find(block);
      ASSERT_EQ(found != nullptr, plain.contains(block)) << block;
      if (found != nullptr) {
        EXPECT_EQ(*found, plain[block]);
      }
    }
  }
}

TEST(BlockClock, WhatIsKnownOfSomeLanes) {
  BlockClock clock;
  clock.learn(2, kAllLanes, kAllLanes, 3);
  clock.learn(2, 0x10, kAllLanes, 7);
  using enum BlockClock::Lanewise;
  EXPECT_EQ(clock.knows(2, 3), all);
  EXPECT_EQ(clock.knows(2, 4), some);
  EXPECT_EQ(clock.knows(2, 7), some);
  EXPECT_EQ(clock.knows(2, 8), none);  // of no lane
  EXPECT_EQ(clock.knows(1, 1), none);
  EXPECT_EQ(clock.known_of_all(2), 3u);
  EXPECT_EQ(clock.known_of_any(2), 7u);
  RecentStamps recent;
  recent.use(nullptr);
  EXPECT_EQ(recent.ask(5, 2, 4), RecentStamps::Answer::unknown);
  recent.add(5, 2, &clock);
  EXPECT_EQ(recent.ask(5, 2, 3), RecentStamps::Answer::before);
  EXPECT_EQ(recent.ask(5, 2, 4), RecentStamps::Answer::unknown);
  EXPECT_EQ(recent.ask(5, 2, 8), RecentStamps::Answer::unordered);
}

TEST(LaneMeetings, AreHandedOn) {
  LaneMeetings meetings;
  EXPECT_FALSE(meetings.have_met(0, 0x2, 1));
  meetings.add(0x3, kAllLanes, 4);  // lanes 0 and 1
  EXPECT_TRUE(meetings.have_met(0, 0x2, 4));
  EXPECT_FALSE(meetings.have_met(0, 0x2, 5));
  EXPECT_FALSE(meetings.have_met(2, 0x1, 1));
  meetings.add(0x6, kAllLanes, 7);  // 1 and 2: lane 2 knows of 0 what 1 knew
  EXPECT_TRUE(meetings.have_met(2, 0x1, 4));
  EXPECT_FALSE(meetings.have_met(2, 0x1, 5));
  EXPECT_FALSE(meetings.have_met(0, 0x4, 1)) << "0 has not met 2";
  EXPECT_FALSE(meetings.have_met(2, 0x9, 4)) << "nor 2 lane 3";
  meetings.add(kAllLanes, kAllLanes, 9);
  EXPECT_TRUE(meetings.have_met(31, ~LaneMask{0}, 9));
  EXPECT_FALSE(meetings.have_met(31, 0x1, 10));
}

// They hold for the clocks and the records that they were found out of, and no others.
TEST(RecordVerdicts, AreForgottenWithWhatTheyAreAbout) {
  using enum RecordVerdicts::Verdict;
  AccessTable table;
  AccessRecord record;
  record.who = AccessRecord::name(3, 1, 0);
  record.when = 2;
  const AccessMark mark = table.mark(record);
  const auto clocks = std::make_shared<const BlockClocks>();
  RecordVerdicts verdicts;
  verdicts.use(clocks, table);
  EXPECT_EQ(verdicts.of(0), before);
  EXPECT_EQ(verdicts.of(mark), unknown);
  verdicts.note(mark, unordered);
  EXPECT_EQ(verdicts.of(mark + 5), unordered);  // another lane
  record.when = 4;
  const AccessMark later = table.mark(record);
  verdicts.use(clocks, table);
  EXPECT_EQ(verdicts.of(mark), unordered);
  EXPECT_EQ(verdicts.of(later), unknown);
  verdicts.use(std::make_shared<const BlockClocks>(), table);
  EXPECT_EQ(verdicts.of(mark), unknown);
  verdicts.note(mark, before);
  table.keep(std::vector<bool>(table.size(), true));
  verdicts.use(clocks, table);
  EXPECT_EQ(verdicts.of(mark), unknown);
  EXPECT_EQ(verdicts.of(~AccessMark{0}), unknown);
}

TEST(BlockClocks, AllButOne) {
  BlockClocks clocks;
  for (uint32_t block = 40; block > 10; --block) {
    if (block != 20) clocks.set(block, std::make_shared<BlockClock>());
  }
  for (uint32_t block = 0; block < 50; ++block)
    EXPECT_EQ(clocks.find(block) != nullptr, block > 10 && block <= 40 && block != 20) << block;
  EXPECT_EQ(BlockClocks().find(0), nullptr);
}

}  // namespace
}  // namespace assay::vgpu
