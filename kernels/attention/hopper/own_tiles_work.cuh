// SPDX-License-Identifier: MIT
// What a block of own_tiles.cuh works on, in order: its loaders and its consumers each walk through it by themselves.
#pragma once

#include "schedule.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper::own_tiles {

// Neighbouring tiles of a head, for which keys and values are loaded once.
struct Item {
  int head;  // of all batches
  int first_tile;
  int tiles;
};

// Key blocks that its tiles see.
template <class Config>
__device__ __forceinline__ int item_blocks(const Params& params, const Item& item) {
  return key_blocks<Config>(params, item.first_tile + item.tiles - 1);
}

// Every block takes a head in turn while there is one for each. The heads that are left are shared out evenly, by the
// cost of their tiles. Where the rings hold all keys of a head, an item is all of its tiles; else at most one per
// consumer.
template <class Config>
struct Items {
  const Params& params;
  int round = 0;
  int next = 0;  // tile, counted over all heads
  int end = 0;

  // Returns false at the end.
  __device__ __forceinline__ bool find(Item& item) {
    if (next == end && !find_run()) return false;
    item.head = next / params.row_tiles;
    item.first_tile = next % params.row_tiles;
    item.tiles = min(end - next, params.row_tiles - item.first_tile);
    if (key_blocks<Config>(params, params.row_tiles - 1) > Config::kKeyStages) {
      // As few items as there must be, none much smaller than the others: consumers without a tile wait. Causal tiles
      // are shorter in front, where the smaller items are.
      item.tiles /= (item.tiles + Config::kConsumers - 1) / Config::kConsumers;
    }
    next += item.tiles;
    return true;
  }

 private:
  __device__ __forceinline__ bool find_run() {
    const int blocks = static_cast<int>(gridDim.x);
    const int block = static_cast<int>(blockIdx.x);
    const int heads = params.query_heads * params.batch;
    const int rounds = heads / blocks;
    if (round > rounds) return false;
    if (round++ < rounds) {
      next = ((round - 1) * blocks + block) * params.row_tiles;
      end = next + params.row_tiles;
      return true;
    }
    const int first = rounds * blocks;
    next = first * params.row_tiles + first_of_share(heads - first, block, blocks);
    end = first * params.row_tiles + first_of_share(heads - first, block + 1, blocks);
    return next < end;
  }

  // The first tile of a share, of so many heads.
  __device__ __forceinline__ int first_of_share(unsigned heads, unsigned share, unsigned shares) const {
    unsigned head_cost = 0;
    for (int tile = 0; tile < params.row_tiles; ++tile) head_cost += cost(tile);
    const unsigned all = heads * head_cost;
    const unsigned begin = all / shares * share + all % shares * share / shares;
    auto left = static_cast<int>(begin % head_cost);
    int tile = 0;
    for (; left > 0; ++tile) left -= cost(tile);
    return static_cast<int>(begin / head_cost) * params.row_tiles + tile;
  }
  __device__ __forceinline__ int cost(int tile) const {
    constexpr int kBesideItsBlocks = 2;
    return Config::kCausal ? key_blocks<Config>(params, tile) + kBesideItsBlocks : 1;
  }
};

// The consumers take tiles in turn, over the borders of items. So that none gets the longest tile of every head, a
// causal item that has the same number of tiles for all moves the turn by one.
template <class Config>
struct Turn {
  int first = 0;  // the consumer of an item's first tile

  __device__ __forceinline__ int consumer(int tile) const { return (first + tile) % Config::kConsumers; }
  __device__ __forceinline__ int first_tile(int consumer) const {
    return (consumer + Config::kConsumers - first) % Config::kConsumers;
  }
  __device__ __forceinline__ void pass(int tiles) {
    first += tiles;
    if (Config::kCausal && tiles % Config::kConsumers == 0) ++first;
    first %= Config::kConsumers;
  }
};

}  // namespace assay::attention::hopper::own_tiles
