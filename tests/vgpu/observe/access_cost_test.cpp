// SPDX-License-Identifier: MIT
// Sectors and wavefronts of accesses whose cost is known by hand.
#include "vgpu/observe/access_cost.hpp"

#include <array>
#include <gtest/gtest.h>

namespace assay::vgpu {
namespace {

struct Warp32 {
  std::array<uint64_t, kLanes> at{};
  LaneMask lanes = kAllLanes;
  uint32_t bytes = 4;

  LaneAddresses access() const { return {at.data(), lanes, bytes}; }
};

template <class Address>
Warp32 warp(uint32_t bytes, Address address, LaneMask lanes = kAllLanes) {
  Warp32 result;
  result.bytes = bytes;
  result.lanes = lanes;
  for (size_t lane = 0; lane < kLanes; ++lane) result.at[lane] = address(lane);
  return result;
}

constexpr uint64_t kBase = 0x7000'0000'0000;

TEST(AccessCost, SectorsOfStrides) {
  const auto strided = [](uint64_t stride, uint32_t bytes = 4) {
    return warp(bytes, [=](size_t lane) { return kBase + lane * stride * bytes; });
  };
  EXPECT_EQ(sectors(strided(1).access()), 4);
  EXPECT_EQ(sectors(strided(2).access()), 8);
  EXPECT_EQ(sectors(strided(8).access()), 32);
  EXPECT_EQ(sectors(strided(32).access()), 32);
  EXPECT_EQ(sectors(strided(1, 16).access()), 16);
  EXPECT_EQ(sectors(strided(1, 2).access()), 2);
  for (const uint64_t stride : {1, 2, 8, 32}) EXPECT_EQ(ideal_sectors(strided(stride).access()), 4) << stride;
  EXPECT_EQ(ideal_sectors(strided(3, 16).access()), 16);
}

TEST(AccessCost, SectorsOfMisalignedAndSharedAddresses) {
  const Warp32 shifted = warp(4, [](size_t lane) { return kBase + 4 + lane * 4; });
  EXPECT_EQ(sectors(shifted.access()), 5);
  EXPECT_EQ(ideal_sectors(shifted.access()), 4);
  const Warp32 broadcast = warp(4, [](size_t) { return kBase + 64; });
  EXPECT_EQ(sectors(broadcast.access()), 1);
  EXPECT_EQ(ideal_sectors(broadcast.access()), 1);
  const Warp32 reversed = warp(4, [](size_t lane) { return kBase + (31 - lane) * 4; });
  EXPECT_EQ(sectors(reversed.access()), 4);
  const Warp32 few = warp(4, [](size_t lane) { return kBase + lane * 4; }, 0b111);
  EXPECT_EQ(sectors(few.access()), 1);
  EXPECT_EQ(ideal_sectors(few.access()), 1);
  EXPECT_EQ(sectors(warp(4, [](size_t) { return kBase; }, 0).access()), 0);
}

TEST(AccessCost, AtomicsGoToTheirSectorOneAfterTheOther) {
  EXPECT_EQ(atomic_sectors(warp(4, [](size_t lane) { return kBase + lane * 4; }).access()), 4);
  EXPECT_EQ(atomic_sectors(warp(4, [](size_t) { return kBase; }).access()), 32);
  EXPECT_EQ(atomic_sectors(warp(4, [](size_t lane) { return kBase + lane / 4 * 4; }).access()), 4);
  EXPECT_EQ(atomic_sectors(warp(4, [](size_t lane) { return kBase + lane % 2 * 128; }).access()), 32);
  EXPECT_EQ(atomic_sectors(warp(4, [](size_t) { return kBase; }, 0).access()), 0);
}

TEST(AccessCost, LocalMemoryInterleavesTheLanes) {
  const Warp32 same = warp(4, [](size_t) { return uint64_t{12}; });
  EXPECT_EQ(local_sectors(same.access()), 4);
  const Warp32 wide = warp(16, [](size_t) { return uint64_t{16}; });
  EXPECT_EQ(local_sectors(wide.access()), 16);
  const Warp32 apart = warp(4, [](size_t lane) { return uint64_t{4} * lane; });
  EXPECT_EQ(local_sectors(apart.access()), 32);
  const Warp32 one = warp(4, [](size_t) { return uint64_t{0}; }, 1);
  EXPECT_EQ(local_sectors(one.access()), 1);
}

TEST(AccessCost, BanksOfWords) {
  const auto strided = [](uint64_t stride) { return warp(4, [=](size_t lane) { return lane * stride * 4; }); };
  for (const auto& [stride, wavefronts] :
       {std::pair<uint64_t, uint32_t>{1, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}}) {
    const SharedCost cost = shared_load_cost(strided(stride).access());
    EXPECT_EQ(cost.wavefronts, wavefronts) << stride;
    EXPECT_EQ(cost.conflicts(), wavefronts - 1) << stride;
  }
  EXPECT_EQ(shared_load_cost(warp(4, [](size_t) { return uint64_t{64}; }).access()).wavefronts, 1) << "a broadcast";
  EXPECT_EQ(shared_load_cost(warp(2, [](size_t lane) { return 2 * lane; }).access()).wavefronts, 1)
      << "two lanes in one word do not conflict";
  EXPECT_EQ(shared_load_cost(warp(4, [](size_t lane) { return 128 * lane; }, 0).access()).wavefronts, 0);
}

TEST(AccessCost, VectorsGoByHalfAndQuarterWarps) {
  const SharedCost pairs = shared_load_cost(warp(8, [](size_t lane) { return 8 * lane; }).access());
  EXPECT_EQ(pairs.wavefronts, 2);
  EXPECT_EQ(pairs.conflicts(), 0);
  const SharedCost fours = shared_load_cost(warp(16, [](size_t lane) { return 16 * lane; }).access());
  EXPECT_EQ(fours.wavefronts, 4);
  EXPECT_EQ(fours.conflicts(), 0);
  // Rows of 128 bytes, a column of 16: the eight lanes of a quarter meet in the same four banks.
  const SharedCost column =
      shared_load_cost(warp(16, [](size_t lane) { return lane % 8 * 128 + lane / 8 * 16; }).access());
  EXPECT_EQ(column.wavefronts, 32);
  EXPECT_EQ(column.conflicts(), 28);
}

TEST(AccessCost, HalfWarpsOfALoadGoTogetherIfNeighboursAgree) {
  const auto pairs = [](size_t lane) { return lane / 2 * 8; };
  EXPECT_EQ(shared_load_cost(warp(8, pairs).access()).wavefronts, 1);
  EXPECT_EQ(shared_store_cost(warp(8, pairs).access()).wavefronts, 2) << "stores do not";
  const auto every_second = [](size_t lane) { return (lane / 4 * 2 + lane % 2) * 16; };
  EXPECT_EQ(shared_load_cost(warp(16, every_second).access()).wavefronts, 2);
  EXPECT_EQ(shared_store_cost(warp(16, every_second).access()).wavefronts, 4);
  EXPECT_EQ(shared_load_cost(warp(8, [](size_t lane) { return lane % 16 * 8; }).access()).wavefronts, 2)
      << "equal halves are no neighbours";
  EXPECT_EQ(shared_load_cost(warp(
                                 8, [](size_t lane) { return lane * 8; }, 0x5555'5555)
                                 .access())
                .conflicts(),
            1)
      << "lanes without a neighbour agree: the halves go together and meet in the banks";
}

TEST(AccessCost, AtomicsOnOneWordTakeTurns) {
  EXPECT_EQ(shared_atomic_cost(warp(4, [](size_t) { return uint64_t{0}; }).access()).wavefronts, 32);
  EXPECT_EQ(shared_atomic_cost(warp(4, [](size_t lane) { return lane / 2 * 4; }).access()).wavefronts, 2);
  EXPECT_EQ(shared_atomic_cost(warp(4, [](size_t lane) { return lane * 4; }).access()).conflicts(), 0);
  EXPECT_EQ(shared_atomic_cost(warp(4, [](size_t) { return uint64_t{0}; }, 0).access()).wavefronts, 0);
}

TEST(AccessCost, MatrixRows) {
  const auto rows = [](uint64_t row_bytes, auto column) {
    return warp(16, [=](size_t lane) { return lane * row_bytes + column(lane); });
  };
  const auto straight = [](size_t) { return uint64_t{0}; };
  EXPECT_EQ(matrix_cost(rows(16, straight).access()).wavefronts, 4);
  EXPECT_EQ(matrix_cost(rows(128, straight).access()).wavefronts, 32) << "every row begins in bank 0";
  EXPECT_EQ(matrix_cost(rows(128, [](size_t lane) { return lane % 8 * 16; }).access()).wavefronts, 4) << "swizzled";
  EXPECT_EQ(matrix_cost(rows(144, straight).access()).wavefronts, 4) << "padded by 16 bytes";
  EXPECT_EQ(matrix_cost(rows(64, straight).access()).conflicts(), 12) << "two of eight rows side by side";
  Warp32 one_matrix = rows(128, straight);
  one_matrix.lanes = 0xff;
  EXPECT_EQ(matrix_cost(one_matrix.access()).wavefronts, 8);
  EXPECT_EQ(matrix_cost(one_matrix.access()).conflicts(), 7);
}

}  // namespace
}  // namespace assay::vgpu
