// SPDX-License-Identifier: MIT
#include "vgpu/observe/block_sample.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace assay::vgpu {
namespace {

double total(const BlockSample& sample) {
  double sum = 0;
  for (const uint64_t cluster : sample.clusters) sum += sample.weight(cluster);
  return sum;
}

TEST(BlockSample, ASmallGridIsRunWhole) {
  EXPECT_TRUE(sample_blocks({4, 3, 2}, {1, 1, 1}, 24).clusters.empty());
  EXPECT_TRUE(sample_blocks({1000, 1, 1}, {1, 1, 1}, 0).clusters.empty());
}

TEST(BlockSample, ItsWeightsAddUpToTheGrid) {
  for (const gpu::Dim3 grid :
       {gpu::Dim3{1000, 1, 1}, gpu::Dim3{33, 70, 1}, gpu::Dim3{5, 6, 700}, gpu::Dim3{1, 1, 65535}}) {
    const BlockSample sample = sample_blocks(grid, {1, 1, 1}, 24);
    EXPECT_LE(sample.clusters.size(), 24u);
    EXPECT_GE(sample.clusters.size(), 8u);
    EXPECT_DOUBLE_EQ(total(sample), static_cast<double>(grid.volume()));
    EXPECT_TRUE(std::ranges::is_sorted(sample.clusters));
    EXPECT_LT(sample.clusters.back(), grid.volume());
  }
}

TEST(BlockSample, CornersAreThere) {
  const BlockSample sample = sample_blocks({100, 100, 1}, {1, 1, 1}, 24);
  for (const uint64_t corner : {0, 99, 9900, 9999}) {
    EXPECT_TRUE(std::ranges::binary_search(sample.clusters, corner)) << corner;
    EXPECT_DOUBLE_EQ(sample.weight(corner), 1) << corner;
  }
}

TEST(BlockSample, ClustersStayTogether) {
  const BlockSample sample = sample_blocks({1024, 1, 1}, {4, 1, 1}, 16);
  EXPECT_LE(sample.clusters.size(), 4u);
  EXPECT_DOUBLE_EQ(total(sample), 256);
}

}  // namespace
}  // namespace assay::vgpu
