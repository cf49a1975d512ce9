// SPDX-License-Identifier: MIT
// A tile of split_streaming.cuh, by its number.
#pragma once

#include "params.hpp"
#include "split_rows.hpp"

namespace assay::attention::hopper {

struct SplitTile {
  int batch;
  int head;       // the first one of the tile
  int heads;      // of the tile
  int first_row;  // of the first row of every head

  // Causal tiles differ in length: the longest ones of all heads come first, so that short ones fill up what those
  // leave. Others come head after head, so that those that run together share keys in the cache.
  __device__ __forceinline__ SplitTile(const Params& params, int number, bool causal) {
    const int in_tile = kSplitTileRows >> params.head_rows_log2;
    const int of_key_head = head_tiles(params.heads_per_key_head, params.head_rows_log2);
    const int key_heads = params.query_heads / params.heads_per_key_head;
    const int of_all_heads = params.batch * key_heads * of_key_head;
    const int row_tile = causal ? params.row_tiles - 1 - number / of_all_heads : number % params.row_tiles;
    const int key_head_tile = causal ? number % of_all_heads : number / params.row_tiles;
    const int key_head = key_head_tile / of_key_head;  // of all batches
    const int first_in_group = key_head_tile % of_key_head * in_tile;
    batch = key_head / key_heads;
    head = key_head % key_heads * params.heads_per_key_head + first_in_group;
    heads = min(in_tile, params.heads_per_key_head - first_in_group);
    first_row = row_tile * kSplitTileRows;
  }
};

}  // namespace assay::attention::hopper
