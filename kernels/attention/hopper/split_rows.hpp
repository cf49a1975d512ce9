// SPDX-License-Identifier: MIT
// Which rows of which heads a tile of split_streaming.cuh holds. Where queries are few, heads that share a key head lie
// in one tile, each in as many rows as the next power of two, so that one tensor copy brings several. Knows no CUDA.
#pragma once

namespace assay::attention::hopper {

constexpr int kSplitTileRows = 128;
constexpr int kSplitTileRowsLog2 = 7;

// Rows of a tile that a head gets.
constexpr int head_rows_log2(int query_rows) {
  if (query_rows > kSplitTileRows / 2) return kSplitTileRowsLog2;
  int log2 = 0;
  while ((1 << log2) < query_rows) ++log2;
  return log2;
}

// Tiles of the heads that share a key head, for all of their rows.
constexpr int head_tiles(int heads_per_key_head, int rows_log2) {
  const int in_tile = kSplitTileRows >> rows_log2;
  return (heads_per_key_head + in_tile - 1) / in_tile;
}

// Whether the rows of all heads of a group fill no more than half a tile.
constexpr bool fills_half_a_tile(int heads_per_key_head, int rows_log2) {
  return rows_log2 < kSplitTileRowsLog2 && heads_per_key_head << rows_log2 <= kSplitTileRows / 2;
}

}  // namespace assay::attention::hopper
