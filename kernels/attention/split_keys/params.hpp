// SPDX-License-Identifier: MIT
// What one attention call hands to the kernel of this folder.
#pragma once

#include <cstdint>

#include "even_shares.hpp"

namespace assay::attention::split_keys {

// Strides in elements: batch, head, row.
struct Params {
  const void* query;  // (batch, key_heads * group, query_rows, head_dim)
  const void* key;    // (batch, key_heads, key_rows, head_dim)
  const void* value;
  void* output;
  float* log_sum_exp;  // (batch, key_heads * group, query_rows), contiguous, or null
  int64_t query_strides[3];
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t output_strides[3];
  int key_heads;
  int group;  // query heads that share a key head
  int query_rows;
  int key_rows;
  int row_chunks;  // head_dim / 8
  int row_tiles;   // tiles of packed rows, (group * query_rows) of them
  float scale;
  int causal;  // aligned to the bottom right
  EvenShares shares;
  void* exchange;          // memory of one stream for pieces that several clusters share (exchange.cuh)
  unsigned int* arrivals;  // (clusters, kLargestCluster), zeros before and after a call
  int pieces;              // of work, where warps work alone (solo_warps.cuh)
  int shared_by_blocks;    // whether several blocks may then share a piece
};

}  // namespace assay::attention::split_keys
