// SPDX-License-Identifier: MIT
// What a call with sequences, pages, a window or capped scores hands to the kernels of this folder.
#pragma once

#include <cstdint>

namespace assay::attention::serving {

inline constexpr int kPageUnit = 16;              // rows; a page has a multiple of them
inline constexpr int kUnlimited = (1 << 30) - 1;  // of a window: more than any distance between rows

// Strides in elements: batch (of the keys of a paged cache: page), head, row.
struct Params {
  const void* query;  // (batch, key_heads * group, query_rows, head_dim)
  const void* key;    // (batch or pages, key_heads, rows, head_dim)
  const void* value;
  void* output;
  float* log_sum_exp;       // (batch, heads, query_rows), with query_starts (heads, total_query_rows); or null
  const int* query_starts;  // (batch + 1): where sequences begin in one packed tensor; null: at the batch stride
  const int* key_starts;    // the same for keys
  const int* key_lengths;   // (batch): keys of each sequence; null: by key_starts, or key_rows
  const int* block_table;   // (batch, pages of a sequence): page numbers; null: keys are not paged
  int64_t block_table_stride;
  int64_t query_strides[3];
  int64_t key_strides[3];
  int64_t value_strides[3];
  int64_t output_strides[3];
  int batch;
  int key_heads;
  int group;       // query heads that share a key head
  int query_rows;  // of the longest sequence
  int key_rows;    // the same; more are never looked at
  int total_query_rows;
  int added_keys;    // to each of key_lengths
  int page_units;    // units of a page; without pages more than there are
  int window_left;   // how far before the key beside it a query sees, at most kUnlimited
  int window_right;  // how far behind
  int row_chunks;    // head_dim / 8
  int row_tiles;     // of a sequence with query_rows queries
  int in_pairs;      // streaming: 1 if a tile with many keys and one with few are worked on together
  float scale;
  float softcap;  // 0: none
};

}  // namespace assay::attention::serving
