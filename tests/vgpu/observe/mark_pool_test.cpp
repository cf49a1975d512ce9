// SPDX-License-Identifier: MIT
#include "vgpu/observe/mark_pool.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace assay::vgpu {
namespace {

constexpr size_t kMarks = 1024;

// As many planes as fill some huge pages, each of them all zeros, and all marked afterwards.
void use_up(MarkPool& pool, AccessMark mark) {
  for (int i = 0; i < 2000; ++i) {
    AccessMark* const marks = pool.take_zeroed(kMarks);
    ASSERT_TRUE(std::all_of(marks, marks + kMarks, [](AccessMark each) { return each == 0; })) << i;
    std::fill(marks, marks + kMarks, mark);
  }
}

TEST(MarkPool, WhatWasUsedBeforeIsZeroedAgain) {
  MarkPool pool;
  use_up(pool, 1);
  pool.clear();
  use_up(pool, 2);
}

TEST(MarkPool, PlanesThatAreGivenBackAreTakenAgain) {
  MarkPool pool;
  std::set<AccessMark*> taken;
  for (size_t count = MarkPool::kFewest; count <= kMarks; count *= 2) {
    for (int i = 0; i < 10; ++i) {
      AccessMark* const marks = pool.take(count);
      std::fill(marks, marks + count, 7);
      EXPECT_TRUE(taken.insert(marks).second);
      if (i % 2 == 1) continue;
      taken.erase(marks);
      pool.give(marks, count);
      AccessMark* const again = pool.take_zeroed(count);
      EXPECT_EQ(again, marks);
      EXPECT_EQ(std::count(again, again + count, 0u), static_cast<std::ptrdiff_t>(count));
      taken.insert(again);
    }
  }
}

}  // namespace
}  // namespace assay::vgpu
