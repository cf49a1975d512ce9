// SPDX-License-Identifier: MIT
// The list of tiles that one block of a persistent grid works through.
#pragma once

#include "params.hpp"

namespace assay::attention::hopper {

// One step of a block's list.
struct TileWork {
  int tile;  // -1: none
  int head;
  int batch;
};

// Full attention goes through the tiles of a head, then the next head. Causal tiles differ in length, so a block takes
// them in pairs, the n-th longest and the n-th shortest of a head, which all cost the same; unless there is a block for
// every tile. A step may have no tile. Returns false at the end.
template <class Config>
__device__ __forceinline__ bool next_work(const Params& params, int step, TileWork& work) {
  const int heads = params.query_heads * params.batch;
  const bool pairs = Config::kCausal && gridDim.x < heads * params.row_tiles;
  const int per_head = pairs ? (params.row_tiles + 1) / 2 : params.row_tiles;
  const int index = (pairs ? step / 2 : step) * gridDim.x + blockIdx.x;
  work.tile = -1;
  if (index >= heads * per_head) return false;
  const int head = index / per_head;
  const int place = index % per_head;
  work.head = head % params.query_heads;
  work.batch = head / params.query_heads;
  const int from_the_end = params.row_tiles - 1 - place;
  if (!pairs) {
    work.tile = place;
  } else if (step % 2 == 0) {
    work.tile = from_the_end;
  } else if (place != from_the_end) {
    work.tile = place;
  }
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
