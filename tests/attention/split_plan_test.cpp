// SPDX-License-Identifier: MIT
// How the split-keys kernel lays calls out over a GPU.
#include <gtest/gtest.h>
#include <vector>

#include "../split_keys/plan.hpp"
#include "../split_keys/solo_shares.hpp"

namespace assay::attention::split_keys {
namespace {

constexpr int kMultiprocessors = 132;
constexpr ClusterSlots kSlots = usual_slots(kMultiprocessors);

int blocks(const Shape& shape, const Plan& plan) {
  return shape.batch * shape.key_heads * row_tiles(shape, plan.slabs) * plan.cluster;
}

TEST(SplitPlan, SplitsTheKeysOfFewHeadsOverTheWholeGpu) {
  const Shape shape{1, 8, 4, 1, 65536, 128};
  const Plan chosen = plan(shape, kSlots, false);
  EXPECT_EQ(chosen.cluster, 8);
  EXPECT_EQ(chosen.slabs, 1);
  EXPECT_GE(blocks(shape, chosen), 64);
  EXPECT_LE(blocks(shape, chosen), kMultiprocessors);
}

TEST(SplitPlan, LeavesTheKeysOfManyHeadsTogether) {
  EXPECT_EQ(plan({128, 8, 4, 1, 4096, 128}, kSlots, false).cluster, 1);
}

TEST(SplitPlan, LeavesWhatIsShortToOneCluster) {
  EXPECT_FALSE(plan({1, 1, 1, 1, 256, 128}, kSlots, true).exchanges());
  EXPECT_FALSE(plan({1, 8, 4, 1, 1024, 128}, kSlots, true).exchanges());
}

TEST(SplitPlan, PacksRowsOfAGroup) {
  EXPECT_EQ(row_tiles({1, 8, 4, 1, 1024, 128}, 1), 1);
  EXPECT_EQ(row_tiles({1, 8, 4, 4, 1024, 128}, 1), 1);
  EXPECT_EQ(row_tiles({1, 8, 4, 5, 1024, 128}, 1), 2);
  EXPECT_EQ(plan({1, 8, 4, 16, 8192, 128}, kSlots, true).slabs, 2);
  EXPECT_EQ(plan({1, 8, 4, 16, 8192, 256}, kSlots, true).slabs, 1) << "two would not fit the registers";
}

TEST(SplitPlan, HasAKernelForEveryPlan) {
  for (int head_dim : {8, 64, 72, 128, 136, 256}) {
    for (int batch : {1, 7, 64, 1000}) {
      for (int rows : {1, 9, 64}) {
        const Plan chosen = plan({batch, 8, 4, rows, 5000, head_dim}, kSlots, true);
        if (chosen.solo != Solo::no) {
          EXPECT_EQ(chosen.warps, solo_warps(chosen.slabs, head_dim));
          continue;
        }
        EXPECT_TRUE(chosen.warps == 4 || (chosen.warps == 8 && head_dim <= 128));
        EXPECT_TRUE(chosen.slabs == 1 || (chosen.slabs == 2 && head_dim <= 128));
        EXPECT_TRUE(chosen.cluster >= 1 && chosen.cluster <= 16);
      }
    }
  }
}

TEST(SplitPlan, IsNearWhatWasFastestOnAnH200) {
  const auto cluster = [](const Shape& shape) { return plan(shape, kSlots, false).cluster; };
  EXPECT_GE(cluster({1, 8, 4, 1, 8192, 128}), 5);
  EXPECT_GE(cluster({8, 8, 4, 1, 4096, 128}), 2);
  EXPECT_LE(cluster({8, 8, 4, 1, 4096, 128}), 3);
  EXPECT_EQ(cluster({64, 8, 4, 1, 4096, 128}), 1);
  EXPECT_LT(cluster({1, 8, 4, 16, 8192, 128}), 8) << "16 clusters of 8 do not fit";
  EXPECT_LE(cluster({4, 8, 4, 4, 4096, 128}), 5);
  EXPECT_EQ(cluster({256, 8, 4, 1, 512, 128}), 1);
}

TEST(SplitPlan, SharesTheKeysOfOneHeadOutToManyClusters) {
  const Shape shape{1, 1, 8, 1, 65536, 128};
  const Plan chosen = plan(shape, kSlots, true);
  EXPECT_TRUE(chosen.exchanges());
  EXPECT_GT(cluster_count(shape, chosen) * chosen.cluster, 100);
  EXPECT_FALSE(plan(shape, kSlots, false).exchanges()) << "without memory to meet in";
}

TEST(SplitPlan, ExchangesNoMoreThanThereIsMemoryFor) {
  for (int head_dim : {64, 128, 256}) {
    for (int batch : {1, 7, 64, 1000}) {
      for (int key_rows : {256, 5000, 1 << 20}) {
        const Shape shape{batch, 8, 4, 1, key_rows, head_dim};
        const Plan chosen = plan(shape, kSlots, true);
        if (chosen.exchanges()) EXPECT_TRUE(can_exchange(shape, chosen)) << batch << ' ' << key_rows;
      }
    }
  }
  EXPECT_FALSE(can_exchange({1, 1, 1, 1, 256, 128}, {1, 8, 8, 16, 0})) << "fewer tiles of keys than warps";
  EXPECT_FALSE(can_exchange({1, 512, 1, 1, 65536, 128}, {1, 4, 1, 2, 0})) << "more than is kept for a stream";
  EXPECT_FALSE(can_exchange({60000, 512, 1, 1, 65536, 128}, {1, 4, 1, 1, 264})) << "more tiles than an int counts";
}

// Every tile lies in one share, and shares differ by a tile at most.
void expect_all_shared_out(const EvenShares& shares, int tiles) {
  ASSERT_EQ(shares.first_tile(0), 0);
  ASSERT_EQ(shares.first_tile(shares.sharers), tiles);
  for (int sharer = 0; sharer < shares.sharers; ++sharer) {
    const int count = shares.first_tile(sharer + 1) - shares.first_tile(sharer);
    EXPECT_TRUE(count == tiles / shares.sharers || count == tiles / shares.sharers + 1);
    for (int tile = shares.first_tile(sharer); tile < shares.first_tile(sharer + 1); ++tile)
      ASSERT_EQ(shares.sharer_of(tile), sharer);
  }
}

TEST(EvenShares, CoverEveryTileOnce) {
  for (int tiles : {1, 7, 64, 1000})
    for (int sharers : {1, 2, 5, 7, 33}) {
      if (sharers > tiles) continue;
      expect_all_shared_out(EvenShares::of_one_piece(tiles, sharers), tiles);
      expect_all_shared_out(EvenShares::of_all_pieces(tiles, 3, sharers), 3 * tiles);
    }
}

// Every tile of every piece belongs to one warp, and those that share a piece say so alike.
void expect_all_done(SoloRange pieces, int piece_tiles, int warps) {
  std::vector<int> times(static_cast<size_t>(pieces.end * piece_tiles));
  for (int warp = 0; warp < warps; ++warp) {
    const SoloWork work = SoloWork::of(pieces, piece_tiles, warp, warps);
    for (int i = 0; i < work.whole; ++i)
      for (int tile = 0; tile < piece_tiles; ++tile)
        ++times[static_cast<size_t>((work.first_piece + i * work.step) * piece_tiles + tile)];
    if (work.shared_piece < 0) continue;
    ASSERT_TRUE(work.sharers.first <= warp && warp < work.sharers.end);
    for (int other = work.sharers.first; other < work.sharers.end; ++other)
      ASSERT_EQ(SoloWork::of(pieces, piece_tiles, other, warps).shared_piece, work.shared_piece);
    for (int tile = work.tiles.first; tile < work.tiles.end; ++tile)
      ++times[static_cast<size_t>(work.shared_piece * piece_tiles + tile)];
  }
  for (size_t i = 0; i < times.size(); ++i)
    ASSERT_EQ(times[i], static_cast<int>(i) / piece_tiles >= pieces.first ? 1 : 0)
        << pieces.count() << " pieces, tile " << i << ", " << warps << " warps";
}

TEST(SoloWork, CoversEveryTileOnce) {
  for (int first : {0, 3})
    for (int count : {0, 1, 2, 5, 8, 9, 23, 40, 99})
      for (int tiles : {1, 3, 20})
        for (int warps : {1, 4, 7, 8, 35}) expect_all_done({first, first + count}, tiles, warps);
}

TEST(SoloWork, GivesAWarpOnePartAtMostAndSharesThatDifferByATile) {
  const SoloWork work = SoloWork::of({0, 1452}, 8, 0, 1056);
  EXPECT_EQ(work.whole, 1);
  EXPECT_EQ(work.shared_piece, 1056);
  EXPECT_GE(work.sharers.count(), 2);
  EXPECT_LE(work.sharers.count(), 3);
  for (int sharer = 0; sharer < 7; ++sharer) EXPECT_NEAR(solo_share(100, sharer, 7).count(), 14.5, 0.5);
}

TEST(SplitPlan, LetsWarpsWorkAloneWhereShortHeadsAreMany) {
  EXPECT_NE(plan({121, 12, 1, 1, 256, 64}, kSlots, true).solo, Solo::no);
  EXPECT_EQ(plan({121, 12, 1, 1, 256, 64}, kSlots, false).solo, Solo::no) << "as kernels of serving cannot";
  EXPECT_EQ(plan({1, 8, 4, 1, 1024, 128}, kSlots, true).solo, Solo::no) << "eight heads are shared by clusters";
  EXPECT_EQ(plan({200, 8, 1, 64, 4096, 64}, kSlots, true).solo, Solo::no) << "keys of several tiles of rows";
}

TEST(SplitPlan, IsForFewQueriesAndManyKeys) {
  EXPECT_TRUE(suits({1, 8, 4, 1, 1024, 128}, kMultiprocessors));
  EXPECT_FALSE(suits({1, 8, 4, 1, 128, 128}, kMultiprocessors));
  EXPECT_FALSE(suits({1, 8, 4, 65, 8192, 128}, kMultiprocessors));
  EXPECT_TRUE(suits({2, 16, 1, 64, 4096, 64}, kMultiprocessors));
  EXPECT_FALSE(suits({8, 32, 1, 64, 2048, 128}, kMultiprocessors)) << "256 tiles of long queries fill the GPU";
  EXPECT_TRUE(suits({64, 8, 4, 8, 4096, 128}, kMultiprocessors)) << "keys are read once, not four times";
}

}  // namespace
}  // namespace assay::attention::split_keys
