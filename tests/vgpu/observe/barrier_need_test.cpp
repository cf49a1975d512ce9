// SPDX-License-Identifier: MIT
#include "vgpu/observe/barrier_need.hpp"

#include <gtest/gtest.h>

namespace assay::vgpu {
namespace {

TEST(BarrierNeed, AReadOfAnotherThreadsWordNeedsIt) {
  BarrierNeed need;
  need.write(0, 1);
  need.completed(7);
  need.read(0, 2);
  EXPECT_EQ(need.sites().at(7).needed, 1u);
}

TEST(BarrierNeed, AThreadsOwnWordDoesNot) {
  BarrierNeed need;
  need.write(0, 1);
  need.completed(7);
  need.read(0, 1);
  need.write(0, 1);
  EXPECT_EQ(need.sites().at(7).complete, 1u);
  EXPECT_EQ(need.sites().at(7).needed, 0u);
}

TEST(BarrierNeed, AWriteAfterAReadNeedsIt) {
  BarrierNeed need;
  need.read(3, 1);
  need.completed(7);
  need.write(3, 2);
  EXPECT_EQ(need.sites().at(7).needed, 1u);
}

TEST(BarrierNeed, ReadsOfManyThreadsAndOneOfThemWrites) {
  BarrierNeed need;
  need.read(3, 1);
  need.read(3, 2);
  need.completed(7);
  need.write(3, 2);
  EXPECT_EQ(need.sites().at(7).needed, 1u);
}

TEST(BarrierNeed, OfTwoInARowOnlyTheLast) {
  BarrierNeed need;
  need.write(0, 1);
  need.completed(7);
  need.completed(8);
  need.read(0, 2);
  need.read(0, 3);
  EXPECT_EQ(need.sites().at(7).needed, 0u);
  EXPECT_EQ(need.sites().at(8).needed, 1u);
}

// What a needed barrier separates already asks for no other.
TEST(BarrierNeed, TheSmallestSet) {
  BarrierNeed need;
  need.write(0, 1);
  need.write(1, 1);
  need.completed(7);
  need.read(0, 2);
  need.completed(8);
  need.read(1, 2);
  EXPECT_EQ(need.sites().at(7).needed, 1u);
  EXPECT_EQ(need.sites().at(8).needed, 0u);
}

}  // namespace
}  // namespace assay::vgpu
