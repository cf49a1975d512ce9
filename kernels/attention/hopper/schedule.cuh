// SPDX-License-Identifier: MIT
// The list of tiles that one block of a persistent grid works through.
#pragma once

#include "causal_tiles.hpp"
#include "params.hpp"

namespace assay::attention::hopper {

// One step of a block's list.
struct TileWork {
  int tile;  // -1: none
  int head;
  int batch;
};

template <class Config>
__device__ __forceinline__ bool in_pairs(const Params& params) {
  return Config::kCausal && params.paired_rounds >= 0;
}

__device__ __forceinline__ CausalTiles causal_tiles(const Params& params) {
  return {params.query_heads * params.batch, params.row_tiles, static_cast<int>(gridDim.x), params.paired_rounds};
}

__device__ __forceinline__ TileWork describe(const Params& params, HeadTile found) {
  return {found.tile, found.head % params.query_heads, found.head / params.query_heads};
}

// The first tile of a block, which always has one.
template <class Config>
__device__ __forceinline__ TileWork first_work(const Params& params) {
  const int block = static_cast<int>(blockIdx.x);
  if (in_pairs<Config>(params)) return describe(params, causal_tiles(params).first(block));
  return describe(params, {block / params.row_tiles, block % params.row_tiles});
}

// A step may have no tile. Returns false at the end.
template <class Config>
__device__ __forceinline__ bool next_work(const Params& params, int step, TileWork& work) {
  HeadTile found;
  work.tile = -1;
  if (in_pairs<Config>(params)) {
    CausalTiles tiles = causal_tiles(params);
    // So that what follows from them takes no registers between tiles.
    asm volatile("" : "+r"(tiles.row_tiles), "+r"(tiles.paired_rounds));
    if (!tiles.find(static_cast<int>(blockIdx.x), step, found)) return false;
  } else {
    const int index = step * gridDim.x + blockIdx.x;
    if (index >= params.query_heads * params.batch * params.row_tiles) return false;
    found = {index / params.row_tiles, index % params.row_tiles};
  }
  work = describe(params, found);
  return true;
}

// Key blocks that the rows of a tile see. Rows that see no key still take part in one, in which all is hidden.
template <class Config>
__device__ __forceinline__ int key_blocks(const Params& params, int tile) {
  int keys = params.key_rows;
  if constexpr (Config::kCausal) keys = min(keys, (tile + 1) * Config::kRows + params.key_rows - params.query_rows);
  return max(1, (keys + Config::kKeyBlock - 1) / Config::kKeyBlock);
}

}  // namespace assay::attention::hopper
