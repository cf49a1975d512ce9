// SPDX-License-Identifier: MIT
#include "vgpu/machine/tensor_map.hpp"

#include <gtest/gtest.h>

#include "vgpu/machine/swizzle.hpp"

namespace assay::vgpu {
namespace {

// 6 rows of 24 elements of 2 bytes; tiles of 2 rows and 8 elements: one chunk of 16 bytes a row.
TensorMap matrix() {
  TensorMap map;
  map.rank = 2;
  map.element_bytes = 2;
  map.address = 0x1000;
  map.sizes = {24, 6};
  map.strides = {2, 48};
  map.box = {8, 2};
  map.steps = {1, 1, 1, 1, 1};
  return map;
}

TEST(TensorMap, SurvivesPacking) {
  std::array<std::byte, TensorMap::kBytes> bytes{};
  matrix().pack(bytes);
  const auto again = TensorMap::unpack(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->address, 0x1000u);
  EXPECT_EQ(again->sizes, matrix().sizes);
  EXPECT_EQ(again->tile_bytes(), 32u);
}

TEST(TensorMap, OtherBytesAreNone) {
  std::array<std::byte, TensorMap::kBytes> bytes{};
  EXPECT_FALSE(TensorMap::unpack(bytes));
  TensorMap bad = matrix();
  bad.rank = 6;
  bad.pack(bytes);
  EXPECT_FALSE(TensorMap::unpack(bytes));
  bad = matrix();
  bad.steps[1] = 0;
  bad.pack(bytes);
  EXPECT_FALSE(TensorMap::unpack(bytes)) << "would divide by zero";
  bad = matrix();
  bad.box[0] = 0;
  bad.pack(bytes);
  EXPECT_FALSE(TensorMap::unpack(bytes)) << "would divide by zero";
  bad = matrix();
  bad.box[0] = 7;
  bad.pack(bytes);
  EXPECT_FALSE(TensorMap::unpack(bytes)) << "rows would not begin at chunks";
}

TEST(TileParts, InsideAreWholeChunks) {
  const auto parts = tile_parts(matrix(), {8, 1});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].tile_offset, 0u);
  EXPECT_EQ(parts[0].bytes, 16u);
  EXPECT_EQ(parts[0].address, 0x1000u + 48 + 16);
  EXPECT_EQ(parts[1].tile_offset, 16u);
  EXPECT_EQ(parts[1].address, 0x1000u + 96 + 16);
}

TEST(TileParts, AreCutAtTheEdges) {
  const auto left = tile_parts(matrix(), {-3, 0});
  ASSERT_EQ(left.size(), 4u);
  EXPECT_EQ(left[0].address, 0u) << "three elements before the row";
  EXPECT_EQ(left[0].bytes, 6u);
  EXPECT_EQ(left[1].address, 0x1000u);
  EXPECT_EQ(left[1].tile_offset, 6u);
  EXPECT_EQ(left[1].bytes, 10u);
  const auto right = tile_parts(matrix(), {20, 0});
  ASSERT_EQ(right.size(), 4u);
  EXPECT_EQ(right[0].bytes, 8u);
  EXPECT_EQ(right[1].address, 0u);
  const auto below = tile_parts(matrix(), {0, 5});
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[0].address, 0x1000u + 5 * 48);
  EXPECT_EQ(below[1].address, 0u) << "row 6 is outside";
}

TEST(TileParts, StepsLeaveRowsOut) {
  TensorMap map = matrix();
  map.steps[1] = 2;
  map.box[1] = 5;
  EXPECT_EQ(map.tile_bytes(), 48u) << "rows 0, 2 and 4 of five";
  const auto parts = tile_parts(map, {0, 1});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].address, 0x1000u + 48);
  EXPECT_EQ(parts[1].address, 0x1000u + 3 * 48);
  EXPECT_EQ(parts[2].address, 0x1000u + 5 * 48);
}

// Chunks of 16 bytes change places in rows of 128 bytes, in another way for each of eight rows.
TEST(Swizzle, ExchangesChunks) {
  EXPECT_EQ(swizzle(0x0000, 3), 0x0000u);
  EXPECT_EQ(swizzle(0x0080, 3), 0x0090u);
  EXPECT_EQ(swizzle(0x0385, 3), 0x03f5u) << "row 7, chunk 0 goes to chunk 7; what is inside a chunk stays";
  EXPECT_EQ(swizzle(0x0480, 3), 0x0490u) << "the pattern repeats after 1024 bytes";
  EXPECT_EQ(swizzle(0x0380, 2), 0x03b0u);
  EXPECT_EQ(swizzle(0x0380, 1), 0x0390u);
  EXPECT_EQ(swizzle(0x0380, 0), 0x0380u);
}

}  // namespace
}  // namespace assay::vgpu
