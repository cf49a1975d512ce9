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
  const auto parts = tile_parts(matrix(), {{8, 1}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].tile_offset, 0u);
  EXPECT_EQ(parts[0].bytes, 16u);
  EXPECT_EQ(parts[0].address, 0x1000u + 48 + 16);
  EXPECT_EQ(parts[1].tile_offset, 16u);
  EXPECT_EQ(parts[1].address, 0x1000u + 96 + 16);
}

TEST(TileParts, AreCutAtTheEdges) {
  const auto left = tile_parts(matrix(), {{-3, 0}});
  ASSERT_EQ(left.size(), 4u);
  EXPECT_EQ(left[0].address, 0u) << "three elements before the row";
  EXPECT_EQ(left[0].bytes, 6u);
  EXPECT_EQ(left[1].address, 0x1000u);
  EXPECT_EQ(left[1].tile_offset, 6u);
  EXPECT_EQ(left[1].bytes, 10u);
  const auto right = tile_parts(matrix(), {{20, 0}});
  ASSERT_EQ(right.size(), 4u);
  EXPECT_EQ(right[0].bytes, 8u);
  EXPECT_EQ(right[1].address, 0u);
  const auto below = tile_parts(matrix(), {{0, 5}});
  ASSERT_EQ(below.size(), 2u);
  EXPECT_EQ(below[0].address, 0x1000u + 5 * 48);
  EXPECT_EQ(below[1].address, 0u) << "row 6 is outside";
}

TEST(TileParts, StepsLeaveRowsOut) {
  TensorMap map = matrix();
  map.steps[1] = 2;
  map.box[1] = 5;
  EXPECT_EQ(map.tile_bytes(), 48u) << "rows 0, 2 and 4 of five";
  const auto parts = tile_parts(map, {{0, 1}});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].address, 0x1000u + 48);
  EXPECT_EQ(parts[1].address, 0x1000u + 3 * 48);
  EXPECT_EQ(parts[2].address, 0x1000u + 5 * 48);
}

// 2 images of 3 rows, 4 columns and 8 channels of 2 bytes; pixels begin from one column and row before the tensor to
// the last but one.
TensorMap images() {
  TensorMap map;
  map.rank = 4;
  map.element_bytes = 2;
  map.address = 0x1000;
  map.sizes = {8, 4, 3, 2};
  map.strides = {2, 16, 64, 192};
  map.box = {8, 1, 1, 1};
  map.steps = {1, 1, 1, 1, 1};
  map.lower = {-1, -1};
  map.upper = {-1, -1};
  map.pixels = 5;
  return map;
}

TEST(TensorMap, OtherPixelsAreNone) {
  std::array<std::byte, TensorMap::kBytes> bytes{};
  images().pack(bytes);
  ASSERT_TRUE(TensorMap::unpack(bytes));
  EXPECT_EQ(TensorMap::unpack(bytes)->tile_bytes(), 80u);
  TensorMap bad = images();
  bad.pixels = 1025;
  bad.pack(bytes);
  EXPECT_FALSE(TensorMap::unpack(bytes));
  bad = images();
  bad.rank = 2;
  bad.pack(bytes);
  EXPECT_FALSE(TensorMap::unpack(bytes)) << "no dimension would be left between channels and images";
}

std::vector<uint64_t> addresses(const std::vector<TilePart>& parts) {
  std::vector<uint64_t> addresses;
  for (const TilePart& part : parts) addresses.push_back(part.address);
  return addresses;
}

TEST(TileParts, PixelsGoOnInTheNextRowAndImage) {
  // Columns 1 and 2, then the next row from the column before the first one.
  EXPECT_EQ(addresses(tile_parts(images(), {{0, 1, 0, 0}})),
            (std::vector<uint64_t>{0x1000 + 16, 0x1000 + 32, 0, 0x1000 + 64, 0x1000 + 64 + 16}));
  // Behind the last row of the box: that before the next image.
  EXPECT_EQ(addresses(tile_parts(images(), {{0, 2, 1, 0}})), (std::vector<uint64_t>{0x1000 + 64 + 32, 0, 0, 0, 0}));
  // Behind the last image there is nothing.
  EXPECT_EQ(addresses(tile_parts(images(), {{0, 2, 1, 1}})), (std::vector<uint64_t>{0x1000 + 256 + 32, 0, 0, 0, 0}));
}

TEST(TileParts, OffsetsMovePixelsAndTheirBox) {
  EXPECT_EQ(addresses(tile_parts(images(), {{0, 1, 0, 0}, {1, 1}})),
            (std::vector<uint64_t>{0x1000 + 64 + 32, 0x1000 + 64 + 48, 0x1000 + 128, 0x1000 + 144, 0x1000 + 160}));
}

TEST(TileParts, ChannelsOfPixelsAreCutAtTheEdge) {
  TensorMap map = images();
  map.pixels = 1;
  map.sizes[0] = 4;
  const auto parts = tile_parts(map, {{0, 1, 0, 0}});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].bytes, 8u);
  EXPECT_EQ(parts[1].address, 0u);
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
