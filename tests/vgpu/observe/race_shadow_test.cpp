// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_shadow.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace assay::vgpu {
namespace {

AccessRecord record(uint32_t who, uint32_t stamp, uint16_t instruction) {
  AccessRecord made;
  made.who = who;
  made.when = stamp;
  made.instruction = instruction;
  return made;
}

void set(Shadow& shadow, uint64_t at, uint64_t width, Shadow::Plane plane, const AccessRecord& access) {
  shadow.tidy();
  const AccessMark mark = shadow.accesses().mark(access);
  shadow.for_each_cell(at, width, [&](Shadow::Cell cell, uint64_t, uint64_t) { cell.set(plane, mark); });
}

// Of every cell its accesses; none is one that nobody makes.
std::vector<AccessRecord> contents(Shadow& shadow, uint64_t bytes) {
  std::vector<AccessRecord> all;
  shadow.for_each_cell(0, bytes, [&](Shadow::Cell cell, uint64_t, uint64_t) {
    for (const auto plane : {Shadow::write, Shadow::first_read, Shadow::second_read})
      all.push_back(cell.at(plane) != 0 ? shadow.accesses().access(cell.at(plane)) : record(0, 0, UINT16_MAX));
  });
  return all;
}

// A warp after another writes neighbouring elements of `width` bytes.
void write_in_order(Shadow& shadow, uint64_t bytes, uint64_t width) {
  uint32_t who = 0;
  for (uint64_t at = 0; at < bytes; at += width, ++who) set(shadow, at, width, Shadow::write, record(who, 1, 7));
}

TEST(RaceShadow, RemembersWhatItHasPacked) {
  constexpr uint64_t kBytes = 64 << 10;
  std::mt19937_64 random(20261117);
  Shadow packing(8 << 10), open(size_t{1} << 40);
  constexpr uint32_t kThreads = 128;  // enough in a row for a page to be worth packing
  for (int round = 0; round < 500; ++round) {
    const uint64_t width = uint64_t{1} << random() % 4;
    const uint64_t at = random() % (kBytes / width / kThreads) * width * kThreads;
    const auto warp = static_cast<uint32_t>(random() % 64 * 32);
    const auto stamp = static_cast<uint32_t>(random() % 4);
    const auto plane = static_cast<Shadow::Plane>(random() % 3);
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
      for (Shadow* const shadow : {&packing, &open})
        set(*shadow, at + thread * width, width, plane, record(warp + thread, stamp, 3));
    }
  }
  EXPECT_LT(packing.bytes(), open.bytes() / 4 * 3);
  EXPECT_EQ(contents(packing, kBytes), contents(open, kBytes));
}

// More accesses than the table keeps: those that are overwritten are forgotten, the others keep their names.
TEST(RaceShadow, RemembersWhatIsInUse) {
  constexpr uint64_t kWords = 4 << 10;
  std::mt19937 random(20261118);
  Shadow shadow(4 << 10);
  std::vector<AccessRecord> expected(kWords, record(0, 0, UINT16_MAX));
  for (uint32_t round = 1; round < 100'000; ++round) {
    const uint64_t at = random() % kWords;
    expected[at] = record(random() % 4096, round, static_cast<uint16_t>(random() % 3));
    set(shadow, at * 4, 4, Shadow::write, expected[at]);
  }
  EXPECT_LT(shadow.accesses().size(), 20'000u);
  const std::vector<AccessRecord> all = contents(shadow, kWords * 4);
  for (size_t i = 0; i < kWords; ++i) EXPECT_EQ(all[i * 3], expected[i]) << i;
}

TEST(RaceShadow, PagesOfNeighboursTakeLittle) {
  for (const uint64_t width : {1, 2, 4}) {
    constexpr uint64_t kBytes = 8 << 20;
    Shadow shadow(1 << 20);
    write_in_order(shadow, kBytes, width);
    EXPECT_LT(shadow.bytes(), kBytes) << width;
  }
}

// By single bytes, each written and read by threads of other warps.
TEST(RaceShadow, BytesInNoOrderTakeFourForEachAccess) {
  constexpr uint64_t kBytes = 1 << 20;
  Shadow shadow(64 << 10);
  for (const auto plane : {Shadow::write, Shadow::first_read}) {
    // An odd factor names every byte once.
    for (uint32_t i = 0; i < kBytes; ++i) set(shadow, i * 40503u % kBytes, 1, plane, record(i, 1, 1));
  }
  EXPECT_LE(shadow.bytes(), kBytes * 2 * 4 + kBytes);
}

TEST(RaceShadow, PagesThatNoRunHoldsStayOpen) {
  constexpr uint64_t kBytes = 1 << 20;
  std::mt19937 random(1);
  Shadow shadow(64 << 10);
  for (uint64_t at = 0; at < kBytes; at += 4) set(shadow, at, 4, Shadow::write, record(random() % 4096, 1, 1));
  EXPECT_EQ(shadow.bytes(), kBytes + shadow.accesses().bytes());
  shadow.clear();
  EXPECT_LE(shadow.bytes(), sizeof(AccessRecord));
}

TEST(RaceShadow, CopiesThatHaveArrivedAreWrites) {
  Shadow shadow;
  set(shadow, 0, 16, Shadow::write, record(5, AccessRecord::kUnderWay, 1));
  set(shadow, 16, 16, Shadow::write, record(6, AccessRecord::kUnderWay, 1));
  set(shadow, 8, 4, Shadow::write, record(7, 3, 2));  // overwritten since
  const auto write_of = [&](uint64_t at) {
    AccessRecord found;
    shadow.for_each_cell(at, 4, [&](Shadow::Cell cell, uint64_t, uint64_t) {
      found = shadow.accesses().access(cell.at(Shadow::write));
    });
    return found;
  };
  shadow.complete_copies(0, 32, 5, 9, Shadow::Copies::of_thread);
  EXPECT_EQ(write_of(0), record(5, 9, 1));
  EXPECT_EQ(write_of(8), record(7, 3, 2));
  EXPECT_EQ(write_of(16).stamp(), AccessRecord::kUnderWay);
  shadow.complete_copies(0, 32, 40, 2, Shadow::Copies::all);
  EXPECT_EQ(write_of(0), record(5, 9, 1));
  EXPECT_EQ(write_of(16), record(40, 2, 1));
}

}  // namespace
}  // namespace assay::vgpu
