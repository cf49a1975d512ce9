// SPDX-License-Identifier: MIT
// How the split-keys kernel lays calls out over a GPU.
#include <gtest/gtest.h>

#include "../split_keys/plan.hpp"

namespace assay::attention::split_keys {
namespace {

constexpr int kMultiprocessors = 132;

int blocks(const Shape& shape, const Plan& plan) {
  return shape.batch * shape.key_heads * row_tiles(shape, plan.slabs) * plan.cluster;
}

TEST(SplitPlan, SplitsTheKeysOfFewHeadsOverTheWholeGpu) {
  const Shape shape{1, 8, 4, 1, 65536, 128};
  const Plan chosen = plan(shape, kMultiprocessors);
  EXPECT_EQ(chosen.cluster, 16);
  EXPECT_EQ(chosen.slabs, 1);
  EXPECT_GE(blocks(shape, chosen), 120);
  EXPECT_LE(blocks(shape, chosen), kMultiprocessors);
}

TEST(SplitPlan, LeavesTheKeysOfManyHeadsTogether) {
  EXPECT_EQ(plan({128, 8, 4, 1, 4096, 128}, kMultiprocessors).cluster, 1);
  // 140 heads: one whole round and a bit would be two; in eighths it is little more than one.
  EXPECT_GE(plan({14, 10, 1, 1, 65536, 128}, kMultiprocessors).cluster, 4);
}

TEST(SplitPlan, DoesNotSplitWhatIsShort) {
  EXPECT_LE(plan({1, 1, 1, 1, 256, 128}, kMultiprocessors).cluster, 2);
}

TEST(SplitPlan, PacksRowsOfAGroup) {
  EXPECT_EQ(row_tiles({1, 8, 4, 1, 1024, 128}, 1), 1);
  EXPECT_EQ(row_tiles({1, 8, 4, 4, 1024, 128}, 1), 1);
  EXPECT_EQ(row_tiles({1, 8, 4, 5, 1024, 128}, 1), 2);
  EXPECT_EQ(plan({1, 8, 4, 16, 8192, 128}, kMultiprocessors).slabs, 2);
  EXPECT_EQ(plan({1, 8, 4, 16, 8192, 256}, kMultiprocessors).slabs, 1) << "two would not fit the registers";
}

TEST(SplitPlan, HasAKernelForEveryPlan) {
  for (int head_dim : {8, 64, 72, 128, 136, 256}) {
    for (int batch : {1, 7, 64, 1000}) {
      for (int rows : {1, 9, 64}) {
        const Plan chosen = plan({batch, 8, 4, rows, 5000, head_dim}, kMultiprocessors);
        EXPECT_TRUE(chosen.warps == 4 || (chosen.warps == 8 && head_dim <= 128));
        EXPECT_TRUE(chosen.slabs == 1 || (chosen.slabs == 2 && head_dim <= 128));
        EXPECT_TRUE(chosen.cluster >= 1 && chosen.cluster <= 16);
      }
    }
  }
}

TEST(SplitPlan, IsForFewQueriesAndManyKeys) {
  EXPECT_TRUE(suits({1, 8, 4, 1, 1024, 128}));
  EXPECT_FALSE(suits({1, 8, 4, 1, 128, 128}));
  EXPECT_FALSE(suits({1, 8, 4, 65, 8192, 128}));
}

}  // namespace
}  // namespace assay::attention::split_keys
