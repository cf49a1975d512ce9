// SPDX-License-Identifier: MIT
#include "cluster/work_folder.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <thread>

#include "base/random.hpp"
#include "base/scratch_folder.hpp"

namespace assay::cluster {
namespace {

using std::chrono::milliseconds;

class WorkFolderTest : public testing::Test {
 protected:
  WorkFolder make(milliseconds lease = milliseconds(60'000)) {
    auto made = WorkFolder::create(folder_, lease);
    EXPECT_TRUE(made.ok());
    return std::move(*made);
  }
  WorkFolder worker() {
    auto opened = WorkFolder::open(folder_);
    EXPECT_TRUE(opened.ok());
    return std::move(*opened);
  }
  static std::optional<Claim> claim(WorkFolder& folder, const std::string& device = "virtual") {
    auto taken = folder.claim("someone", device);
    EXPECT_TRUE(taken.ok());
    return *taken;
  }
  static std::string put(WorkFolder& folder, const std::string& content, const std::string& only_for = "") {
    auto name = folder.put(content, only_for);
    EXPECT_TRUE(name.ok());
    return *name;
  }

  ScratchFolder place_ = std::move(*ScratchFolder::make());
  std::filesystem::path folder_ = place_.path() / "work";
};

TEST_F(WorkFolderTest, AnItemIsTakenOnceAndItsResultIsToldOnce) {
  WorkFolder asking = make();
  const std::string name = put(asking, "{\"do\": \"this\"}");
  WorkFolder one = worker();
  WorkFolder other = worker();
  const auto taken = claim(one);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->item, name);
  EXPECT_EQ(taken->number, 1);
  EXPECT_EQ(taken->content, "{\"do\": \"this\"}");
  EXPECT_FALSE(claim(other)) << "it has an owner";
  EXPECT_TRUE(*one.publish(*taken, "done"));
  EXPECT_FALSE(claim(other)) << "it is done";
  const auto told = asking.outcomes();
  ASSERT_EQ(told->size(), 1u);
  EXPECT_EQ(told->front().item, name);
  EXPECT_EQ(told->front().result, "done");
  EXPECT_TRUE(asking.outcomes()->empty());
}

TEST_F(WorkFolderTest, TheSameContentIsOneItemForALaterRunToo) {
  WorkFolder asking = make();
  const std::string name = put(asking, "a");
  EXPECT_EQ(put(asking, "a"), name);
  EXPECT_NE(put(asking, "b"), name);
  EXPECT_NE(put(asking, "a", "GPU-1"), name);
  WorkFolder one = worker();
  EXPECT_TRUE(*one.publish(*claim(one), "result of a"));
  WorkFolder later = make();
  EXPECT_EQ(put(later, "a"), name);
  ASSERT_EQ(later.outcomes()->size(), 1u) << "what was done is not done again";
}

TEST_F(WorkFolderTest, AnItemThatIsGivenBackGoesToTheNextAtOnce) {
  WorkFolder asking = make();
  put(asking, "a");
  WorkFolder one = worker();
  WorkFolder other = worker();
  for (int times = 1; times < 9; ++times) {  // more often than workers may be lost
    const auto taken = claim(times % 2 == 0 ? one : other);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->number, times);
    ASSERT_TRUE(one.give_back(*taken).ok());
  }
  EXPECT_TRUE(asking.outcomes()->empty()) << "giving back loses nothing";
}

TEST_F(WorkFolderTest, WhoeverLostTheLeasePublishesNothing) {
  WorkFolder asking = make(milliseconds(80));
  put(asking, "a");
  WorkFolder slow = worker();
  WorkFolder other = worker();
  const auto first = claim(slow);
  EXPECT_FALSE(claim(other));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_TRUE(*slow.renew(*first));
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_FALSE(claim(other)) << "it was renewed";
  std::this_thread::sleep_for(milliseconds(120));
  const auto second = claim(other);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->number, 2);
  EXPECT_FALSE(*slow.renew(*first));
  EXPECT_FALSE(*slow.publish(*first, "late"));
  EXPECT_TRUE(*other.publish(*second, "in time"));
  ASSERT_EQ(asking.outcomes()->size(), 1u);
}

TEST_F(WorkFolderTest, TwoResultsOfOneItemCountOnce) {
  WorkFolder asking = make();
  const std::string name = put(asking, "a");
  for (const char* number : {".1", ".2"}) std::ofstream(folder_ / "results" / (name + number)) << number;
  const auto told = asking.outcomes();
  ASSERT_EQ(told->size(), 1u);
  EXPECT_EQ(told->front().number, 1);
}

TEST_F(WorkFolderTest, AnItemThatKillsItsWorkersIsGivenUp) {
  WorkFolder asking = make(milliseconds(40));
  const std::string name = put(asking, "a");
  WorkFolder one = worker();
  for (int lost = 0; lost < WorkFolder::kMostLost; ++lost) {
    EXPECT_TRUE(asking.outcomes()->empty());
    ASSERT_TRUE(claim(one));
    std::this_thread::sleep_for(milliseconds(80));
  }
  EXPECT_FALSE(claim(one));
  const auto told = asking.outcomes();
  ASSERT_EQ(told->size(), 1u);
  EXPECT_EQ(told->front().item, name);
  EXPECT_EQ(told->front().result, "");
}

TEST_F(WorkFolderTest, AnItemForOneDeviceIsLeftToIt) {
  WorkFolder asking = make();
  put(asking, "a", "GPU-1");
  WorkFolder one = worker();
  EXPECT_FALSE(claim(one, "GPU-2"));
  const auto taken = claim(one, "GPU-1");
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->content, "a");
}

TEST_F(WorkFolderTest, WorkersSeeWhetherSomebodyWaitsAndWhetherToStop) {
  WorkFolder asking = make();
  WorkFolder one = worker();
  EXPECT_TRUE(one.attended(milliseconds(60'000)));
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_FALSE(one.attended(milliseconds(20)));
  ASSERT_TRUE(asking.attend().ok());
  EXPECT_TRUE(one.attended(milliseconds(60'000)));
  EXPECT_FALSE(one.stopped());
  ASSERT_TRUE(asking.stop().ok());
  EXPECT_TRUE(one.stopped());
  ASSERT_TRUE(asking.reopen().ok());
  EXPECT_FALSE(one.stopped());
}

TEST_F(WorkFolderTest, WhatIsNoFolderOfWorkIsRefused) {
  EXPECT_FALSE(WorkFolder::open(folder_).ok());
  make();
  std::ofstream(folder_ / "lease") << "-3\n";
  EXPECT_FALSE(WorkFolder::open(folder_).ok());
  std::ofstream(folder_ / "lease") << "60000\n";
  std::ofstream(folder_ / "claims" / "nonsense") << "";
  std::ofstream(folder_ / "claims" / "000001-x.99999999999999999999") << "";
  std::ofstream(folder_ / "results" / "000001-x.-4") << "";
  WorkFolder one = worker();
  EXPECT_FALSE(claim(one)) << "foreign names are no tries";
}

// Workers that die, sleep through their lease or give back, at random: every item is told exactly once.
TEST_F(WorkFolderTest, NothingIsLostOrToldTwiceUnderRandomTrouble) {
  constexpr size_t kItems = 60;
  constexpr uint64_t kSeed = 20261117;
  RecordProperty("seed", std::to_string(kSeed));
  WorkFolder asking = make(milliseconds(30));
  std::map<std::string, int> told;
  for (size_t i = 0; i < kItems; ++i) told[put(asking, std::to_string(i))] = 0;
  std::atomic<bool> over = false;
  const auto labour = [&](uint64_t seed) {
    Random random(seed);
    WorkFolder mine = worker();
    while (!over) {
      const auto taken = mine.claim("thread", "virtual");
      if (!taken || !*taken) {
        std::this_thread::sleep_for(milliseconds(2));
        continue;
      }
      const uint64_t fate = random.below(100);
      if (fate < 15) {
        (void)mine.give_back(**taken);
      } else if (fate < 22) {
        std::this_thread::sleep_for(milliseconds(45));  // longer than the lease, then on as if nothing had been
        (void)mine.publish(**taken, "late");
      } else if (fate >= 26) {  // else it dies with the item in its hands
        (void)mine.publish(**taken, "done");
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    for (uint64_t i = 0; i < 6; ++i) workers.emplace_back(labour, kSeed + i);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    size_t known = 0;
    while (known < kItems && std::chrono::steady_clock::now() < deadline) {
      const auto outcomes = asking.outcomes();
      ASSERT_TRUE(outcomes.ok());
      for (const Outcome& each : *outcomes) {
        ++told.at(each.item);
        ++known;
      }
      std::this_thread::sleep_for(milliseconds(3));
    }
    over = true;
  }
  for (const auto& [item, times] : told) EXPECT_EQ(times, 1) << item << ", seed " << kSeed;
}

}  // namespace
}  // namespace assay::cluster
