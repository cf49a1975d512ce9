// SPDX-License-Identifier: MIT
// The list of tiles that one block of a persistent grid works through.
#pragma once

#include "params.hpp"

namespace assay::attention::hopper {

// One step of a block's list.
struct TileWork {
  int tile;
  int head;
  int batch;
  int key_blocks;  // -1: nothing to do in this step
};

// Full attention goes through the tiles of a head, then the next head. Causal tiles differ in length, so a block takes
// them in pairs, the n-th longest and the n-th shortest of a head, which all cost the same; unless there is a block for
// every tile. Returns false at the end.
template <class Config>
__device__ __forceinline__ bool next_work(const Params& params, int step, TileWork& work) {
  const int heads = params.query_heads * params.batch;
  const bool pairs = Config::kCausal && gridDim.x < heads * params.row_tiles;
  const int per_head = pairs ? (params.row_tiles + 1) / 2 : params.row_tiles;
  const int index = (pairs ? step / 2 : step) * gridDim.x + blockIdx.x;
  if (index >= heads * per_head) return false;
  const int head = index / per_head;
  work.tile = index % per_head;
  work.key_blocks = -1;
  if (pairs) {
    if (step % 2 == 0) {
      work.tile = params.row_tiles - 1 - work.tile;
    } else if (2 * work.tile + 1 == params.row_tiles) {
      return true;
    }
  }
  work.head = head % params.query_heads;
  work.batch = head / params.query_heads;
  int keys = params.key_rows;
  if constexpr (Config::kCausal) {
    keys = max(0, min(keys, (work.tile + 1) * Config::kRows + params.key_rows - params.query_rows));
  }
  work.key_blocks = (keys + Config::kKeyBlock - 1) / Config::kKeyBlock;
  return true;
}

}  // namespace assay::attention::hopper
