// SPDX-License-Identifier: MIT
#include "../hopper/causal_tiles.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace assay::attention::hopper {
namespace {

CausalTiles tiles_on(int multiprocessors, int heads, int row_tiles) {
  CausalTiles tiles{heads, row_tiles, 0, 0};
  tiles.blocks = std::min(multiprocessors, tiles.pairs());
  tiles.paired_rounds = paired_rounds(tiles.pairs(), tiles.blocks);
  return tiles;
}

std::vector<HeadTile> list_of(const CausalTiles& tiles, int block) {
  std::vector<HeadTile> list;
  HeadTile found;
  for (int step = 0; tiles.find(block, step, found); ++step) {
    if (found.tile >= 0) list.push_back(found);
  }
  return list;
}

template <class Visit>
void for_each_problem(Visit visit) {
  for (int multiprocessors : {1, 2, 7, 78, 114, 132}) {
    for (int heads : {1, 2, 3, 8, 31, 48, 64, 70, 128, 200}) {
      for (int row_tiles : {1, 2, 3, 4, 5, 8, 11, 16, 22, 33, 40}) {
        SCOPED_TRACE(testing::Message() << heads << " heads of " << row_tiles << " tiles on " << multiprocessors);
        visit(tiles_on(multiprocessors, heads, row_tiles));
      }
    }
  }
}

TEST(CausalTiles, GivesOutEachTileOnce) {
  for_each_problem([](const CausalTiles& tiles) {
    std::vector<int> taken(tiles.heads * tiles.row_tiles);
    for (int block = 0; block < tiles.blocks; ++block) {
      for (const HeadTile& work : list_of(tiles, block)) ++taken.at(work.head * tiles.row_tiles + work.tile);
    }
    EXPECT_EQ(std::count(taken.begin(), taken.end(), 1), static_cast<int>(taken.size()));
  });
}

TEST(CausalTiles, FindsTheFirstTileOfABlockInTwoWays) {
  for_each_problem([](const CausalTiles& tiles) {
    for (int block = 0; block < tiles.blocks; ++block) {
      HeadTile found;
      ASSERT_TRUE(tiles.find(block, 0, found));
      EXPECT_EQ(tiles.first(block).head, found.head);
      EXPECT_EQ(tiles.first(block).tile, found.tile);
    }
  });
}

// A tile costs the key blocks that it sees, and one more.
int cost_of(const std::vector<HeadTile>& list) {
  int cost = 0;
  for (const HeadTile& work : list) cost += work.tile + 2;
  return cost;
}

struct Balance {
  int longest = 0;
  double mean = 0;
};
Balance balance_of(const CausalTiles& tiles) {
  Balance balance;
  for (int block = 0; block < tiles.blocks; ++block) {
    const int cost = cost_of(list_of(tiles, block));
    balance.longest = std::max(balance.longest, cost);
    balance.mean += static_cast<double>(cost) / tiles.blocks;
  }
  return balance;
}

TEST(CausalTiles, LeavesFewBlocksWithoutWork) {
  for_each_problem([](const CausalTiles& tiles) {
    if (tiles.pairs() <= tiles.blocks) return;
    const Balance balance = balance_of(tiles);
    EXPECT_LE(balance.longest, balance.mean + 0.6 * (tiles.row_tiles + 1) + 1);
  });
}

TEST(CausalTiles, SharesOutALastRoundThatIsAlmostEmpty) {
  CausalTiles tiles = tiles_on(132, 136, 16);  // 1,088 pairs: eight rounds and 32
  const double mean = balance_of(tiles).mean;
  EXPECT_LE(balance_of(tiles).longest, 1.02 * mean);
  tiles.paired_rounds = 9;
  EXPECT_GE(balance_of(tiles).longest, 1.09 * mean);
}

}  // namespace
}  // namespace assay::attention::hopper
