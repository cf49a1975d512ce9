// SPDX-License-Identifier: MIT
// How split_streaming.cuh lays a call out over a GPU: how many blocks share the keys of a tile. Knows no CUDA.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "../primitives/cluster_slots.hpp"
#include "choice_terms.hpp"
#include "choice_trees.hpp"
#include "split_rows.hpp"

namespace assay::attention::hopper {

// Clusters that run at a time, by their blocks, from 1.
using SplitSlots = std::array<int, kLargestCluster + 1>;

inline SplitSlots usual_split_slots(int multiprocessors) {
  SplitSlots slots{};
  for (int cluster = 1; cluster <= kLargestCluster; ++cluster) {
    slots[cluster] = usual_clusters(multiprocessors, cluster, 1);
  }
  return slots;
}

// Tiles of a call: clusters of the grid.
inline int64_t split_tiles(const hopper_attention_call& call) {
  const int log2 = head_rows_log2(call.query_rows);
  const int row_tiles = ceil_div(call.query_rows, kSplitTileRows);
  return int64_t{call.batch} * call.key_heads * head_tiles(call.query_heads / call.key_heads, log2) * row_tiles;
}

// Whether both warpgroups of a block have the rows of a tile.
inline bool in_halves(const hopper_attention_call& call) {
  return call.causal == 0 && fills_half_a_tile(call.query_heads / call.key_heads, head_rows_log2(call.query_rows));
}

constexpr int kSplitCostTerms = 6;
constexpr int kSplitTileBlocks =
    6;  // of keys: what a tile costs beside its products, to see which multiprocessor is last

// What a call costs, by the blocks that share the keys of a tile, as choice_sweep.py fits it.
struct SplitCosts {
  int least_head_dim;
  int most_head_dim;
  bool causal;
  bool halves;  // as in_halves()
  int keys;     // of a block of them
  std::array<double, kSplitCostTerms> us;

  bool computes(const hopper_attention_call& call) const {
    return causal == (call.causal != 0) && halves == in_halves(call) && call.head_dim >= least_head_dim &&
           call.head_dim <= most_head_dim;
  }

  // As split_terms() in choice_sweep.py: one for the launch, tiles that the busiest multiprocessor has, what their
  // merging takes, its blocks of keys, those of all on average, and bytes that clusters read, at 4.2 TB/s.
  std::array<double, kSplitCostTerms> terms(const hopper_attention_call& call, int cluster,
                                            const SplitSlots& slots) const {
    const int64_t tiles = split_tiles(call);
    const int longest = ceil_div(call.key_rows, keys);
    int64_t rounds = (tiles + slots[cluster] - 1) / slots[cluster];
    int64_t busiest = ceil_div(longest, cluster);
    double mean = longest;
    if (causal) {
      mean = (causal_blocks(call, tiles - 1) + longest) / 2.0;
      if (rounds > 1) {
        // The shortest of the first round and the longest of the second meet, or a longest one has its place alone.
        const int64_t both = ceil_div(causal_blocks(call, slots[cluster] - 1), cluster) +
                             ceil_div(causal_blocks(call, slots[cluster]), cluster);
        rounds = both + kSplitTileBlocks > busiest ? 2 : 1;
        if (rounds == 2) busiest = both;
      }
    } else {
      busiest *= rounds;
    }
    return {1.0,
            static_cast<double>(rounds),
            static_cast<double>(rounds * cluster),
            static_cast<double>(busiest),
            mean * static_cast<double>(tiles) / slots[1],
            4.0 * call.head_dim * mean * keys * static_cast<double>(tiles) / 4.2e6};
  }

  // Blocks of keys that a tile has, by its number in split_tile.cuh: the longest ones of all heads first.
  int causal_blocks(const hopper_attention_call& call, int64_t tile) const {
    const int row_tiles = ceil_div(call.query_rows, kSplitTileRows);
    const int row_tile = row_tiles - 1 - static_cast<int>(tile / (split_tiles(call) / row_tiles));
    const int rows = std::min(call.query_rows, kSplitTileRows * (row_tile + 1));
    return ceil_div(std::max(1, rows + call.key_rows - call.query_rows), keys);
  }

  // Infinite where it cannot be less than `least`.
  double estimate(const hopper_attention_call& call, int cluster, const SplitSlots& slots, const Trees& trees,
                  double least = INFINITY) const {
    const std::array<double, kSplitCostTerms> values = terms(call, cluster, slots);
    double sum = 0;
    for (int i = 0; i < kSplitCostTerms; ++i) sum += values[i] * us[i];
    if (sum * trees.least >= least) return INFINITY;
    const std::array<double, 2> more = {static_cast<double>(cluster), causal ? 1.0 : 0.0};
    return sum * trees.factor(features_of(values, call, more));
  }
};

struct SplitPlan {
  int cluster;  // 0: not computed
  double us;    // estimated
};

// The number of blocks with the least estimated time; 0 if that is not less than `least`.
inline SplitPlan plan_split(const SplitCosts& costs, const Trees& trees, const hopper_attention_call& call,
                            const SplitSlots& slots, double least) {
  SplitPlan best{0, least};
  for (int cluster = 1; cluster <= kLargestCluster; ++cluster) {
    if (slots[cluster] < 1 || (cluster > 1 && cluster > ceil_div(call.key_rows, costs.keys))) continue;
    // More rounds of causal tiles, which differ in length, are for the persistent kernels.
    if (costs.causal && split_tiles(call) > 2 * slots[cluster]) continue;
    const double us = costs.estimate(call, cluster, slots, trees, best.us);
    if (us < best.us) best = {cluster, us};
  }
  return best;
}

}  // namespace assay::attention::hopper
