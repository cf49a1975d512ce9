// SPDX-License-Identifier: MIT
// The library's call as the kernels of warp_attention.cuh take it. Knows no CUDA.
#pragma once

#include "call_tensors.hpp"
#include "warp_params.hpp"

namespace assay::attention::library {

inline WarpParams warp_params(const assay_attention_call& call) {
  WarpParams params{};
  copy_tensors(call, params);
  params.batch = call.batch;
  params.query_heads = call.query_heads;
  params.heads_per_key_head = call.query_heads / call.key_heads;
  params.query_rows = call.query_rows;
  params.key_rows = call.key_rows;
  params.row_chunks = call.head_dim / 8;
  params.scale = call.scale;
  params.causal = is_causal(call);
  return params;
}

// Tiles of so many queries that the call has: a block of the grid for each.
inline int64_t warp_tiles(const assay_attention_call& call, int query_rows) {
  return (int64_t{call.query_rows} + query_rows - 1) / query_rows * call.batch * call.query_heads;
}

}  // namespace assay::attention::library
