// SPDX-License-Identifier: MIT
#include "vgpu/semantics/im2col.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace assay::vgpu::semantics {
namespace {

// Columns and rows of an image as one number each: 100 * image + 10 * row + column.
std::vector<int64_t> walk(const PixelBox& box, Pixel pixel, int count) {
  std::vector<int64_t> visited;
  for (int i = 0; i < count; ++i, pixel = next_pixel(box, pixel))
    visited.push_back(100 * pixel.image + 10 * pixel.at[1] + pixel.at[0]);
  return visited;
}

TEST(Im2col, GoesThroughColumnsRowsAndImages) {
  const PixelBox box{2, {0, 0}, {2, 1}, {1, 1}};
  EXPECT_EQ(walk(box, {{1, 0}, 0}, 7), (std::vector<int64_t>{1, 2, 10, 11, 12, 100, 101}));
}

TEST(Im2col, ANewRowBeginsAtTheLowerCorner) {
  const PixelBox box{2, {-1, -1}, {1, 0}, {1, 1}};
  EXPECT_EQ(walk(box, {{1, -1}, 0}, 5), (std::vector<int64_t>{-9, -1, 0, 1, 100 - 10 - 1}));
}

TEST(Im2col, AStrideLeavesOutPixels) {
  const PixelBox box{2, {0, 0}, {4, 3}, {2, 3}};
  EXPECT_EQ(walk(box, {{2, 0}, 0}, 7), (std::vector<int64_t>{2, 4, 30, 32, 34, 100, 102}));
}

// As many pixels of an image as implicit GEMM counts positions of the filter: (size + upper - lower - 1) / stride + 1.
TEST(Im2col, VisitsEveryPositionOfAFilter) {
  for (int size = 1; size <= 9; ++size) {
    for (int filter = 1; filter <= 3; ++filter) {
      for (int padding = 0; padding < filter; ++padding) {
        for (int stride = 1; stride <= 3; ++stride) {
          const int lower = -padding;
          const int upper = padding - (filter - 1);
          const int positions = (size + upper - lower - 1) / stride + 1;
          if (size + upper - lower <= 0) continue;
          const PixelBox box{1, {lower}, {size - 1 + upper}, {stride}};
          Pixel pixel{{lower}, 0};
          int visited = 0;
          for (; pixel.image == 0; pixel = next_pixel(box, pixel)) ++visited;
          EXPECT_EQ(visited, positions) << size << " " << filter << " " << padding << " " << stride;
        }
      }
    }
  }
}

TEST(Im2col, ABoxWithoutPixelsEndsToo) {
  const PixelBox box{3, {0, 0, 0}, {-1, -1, -1}, {1, 1, 1}};
  EXPECT_EQ(next_pixel(box, {{0, 0, 0}, 7}).image, 8);
}

TEST(Im2col, OffsetsHaveFewBits) {
  EXPECT_EQ(largest_offset(3), 65535u);
  EXPECT_EQ(largest_offset(4), 255u);
  EXPECT_EQ(largest_offset(5), 31u);
}

}  // namespace
}  // namespace assay::vgpu::semantics
