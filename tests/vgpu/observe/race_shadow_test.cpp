// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_shadow.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace assay::vgpu {
namespace {

AccessRecord record(uint32_t who, uint32_t stamp, uint16_t instruction) {
  AccessRecord made;
  made.who = who;
  made.when = stamp | AccessRecord::valid;
  made.instruction = instruction;
  return made;
}

// A warp after another writes neighbouring elements of `width` bytes.
void write_in_order(Shadow& shadow, uint64_t bytes, uint64_t width) {
  uint32_t who = 0;
  for (uint64_t at = 0; at < bytes; at += width, ++who) {
    shadow.for_each_cell(at, width, [&](ShadowCell& cell, uint64_t, uint64_t) { cell.write = record(who, 1, 7); });
  }
}

TEST(RaceShadow, RemembersWhatItHasPacked) {
  constexpr uint64_t kBytes = 64 << 10;
  std::mt19937_64 random(20261117);
  Shadow packing(32 << 10), open(size_t{1} << 40);
  for (int round = 0; round < 4000; ++round) {
    const uint64_t width = uint64_t{1} << random() % 5;
    const uint64_t at = random() % (kBytes / width) * width;
    const auto made = record(static_cast<uint32_t>(random() % 64), static_cast<uint32_t>(random() % 4), 3);
    const size_t slot = random() % 3;
    for (Shadow* const shadow : {&packing, &open}) {
      shadow->for_each_cell(
          at, width, [&](ShadowCell& cell, uint64_t, uint64_t) { (slot == 2 ? cell.write : cell.reads[slot]) = made; });
    }
  }
  std::vector<ShadowCell> cells;
  open.for_each_cell(0, kBytes, [&](ShadowCell& cell, uint64_t, uint64_t) { cells.push_back(cell); });
  size_t i = 0;
  packing.for_each_cell(0, kBytes, [&](ShadowCell& cell, uint64_t, uint64_t) {
    ASSERT_LT(i, cells.size());
    EXPECT_EQ(std::memcmp(&cell, &cells[i++], sizeof cell), 0) << "cell " << i;
  });
  EXPECT_EQ(i, cells.size());
}

TEST(RaceShadow, PagesOfNeighboursTakeLittle) {
  for (const uint64_t width : {1, 2, 4}) {
    constexpr uint64_t kBytes = 8 << 20;
    Shadow shadow(1 << 20);
    write_in_order(shadow, kBytes, width);
    EXPECT_LT(shadow.bytes(), kBytes / 2) << width;
  }
}

TEST(RaceShadow, PagesThatNoRunHoldsStayOpen) {
  constexpr uint64_t kBytes = 1 << 20;
  std::mt19937 random(1);
  Shadow shadow(64 << 10);
  for (uint64_t at = 0; at < kBytes; at += 4) {
    shadow.for_each_cell(at, 4,
                         [&](ShadowCell& cell, uint64_t, uint64_t) { cell.write = record(random() % 4096, 1, 1); });
  }
  EXPECT_EQ(shadow.bytes(), kBytes / 4 * sizeof(ShadowCell));
  shadow.clear();
  EXPECT_EQ(shadow.bytes(), 0u);
}

}  // namespace
}  // namespace assay::vgpu
