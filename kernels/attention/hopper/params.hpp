// SPDX-License-Identifier: MIT
// What one attention call hands to a kernel of this folder.
#pragma once

#include <cstdint>
#include <cuda.h>

namespace assay::attention::hopper {

struct Params {
  CUtensorMap
      query;        // (head_dim, query_rows, query_heads, batch), boxes of 64 columns x 64 rows of one head or several
  CUtensorMap key;  // (head_dim, key_rows, key_heads, batch), boxes of 64 columns x one key block
  CUtensorMap value;   // as key
  CUtensorMap output;  // as query; of the streaming kernels alone
  void* g_output;
  int64_t output_batch_stride;  // strides in elements
  int64_t output_head_stride;
  int64_t output_row_stride;
  float* g_log_sum_exp;  // (batch, query_heads, query_rows) or null
  int head_dim;          // of the tensors; a kernel may be for a larger one
  int query_rows;
  int key_rows;
  int query_heads;
  int batch;
  int heads_per_key_head;
  int row_tiles;  // persistent grids: query tiles per head
  float scale_log2;
  int paired_rounds;   // persistent grids: of causal tiles (causal_tiles.hpp); -1: one tile after the other
  int head_rows_log2;  // split_streaming.cuh: rows of a tile that a head has
};

}  // namespace assay::attention::hopper
