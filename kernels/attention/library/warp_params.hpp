// SPDX-License-Identifier: MIT
// What one attention call hands to a kernel of warp_attention.cuh.
#pragma once

#include <cstdint>

namespace assay::attention::library {

// Strides in elements: batch, head, row.
struct WarpParams {
  const void* query;  // (batch, query_heads, query_rows, head_dim)
  const void* key;    // (batch, key_heads, key_rows, head_dim)
  const void* value;
  void* output;
  float* log_sum_exp;  // (batch, query_heads, query_rows), contiguous, or null
  int64_t query_strides[3];
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t output_strides[3];
  int batch;
  int query_heads;
  int heads_per_key_head;
  int query_rows;
  int key_rows;
  int row_chunks;  // head_dim / 8
  float scale;
  bool causal;
};

}  // namespace assay::attention::library
