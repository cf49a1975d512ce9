// SPDX-License-Identifier: MIT
// One sequence of a batch: where its rows lie, how many they are, and which keys each of its queries sees.
#pragma once

#include <cstdint>

#include "params.hpp"

namespace assay::attention::serving {

// Keys from `first` to before `end`; none if that is not after it.
struct KeyRange {
  int first;
  int end;
};

struct Sequence {
  int batch;
  int first_query;  // in the packed tensor; 0 without query_starts
  int first_key;
  int queries;
  int keys;
  int window_left;
  int window_right;

  __device__ __forceinline__ Sequence(const Params& params, int index)
      : batch(index),
        first_query(0),
        first_key(0),
        queries(params.query_rows),
        keys(params.key_rows),
        window_left(params.window_left),
        window_right(params.window_right) {
    if (params.query_starts != nullptr) {
      first_query = __ldg(params.query_starts + index);
      queries = min(queries, __ldg(params.query_starts + index + 1) - first_query);
    }
    int length = keys;
    if (params.key_starts != nullptr) {
      first_key = __ldg(params.key_starts + index);
      length = __ldg(params.key_starts + index + 1) - first_key;
    }
    if (params.key_lengths != nullptr) length = __ldg(params.key_lengths + index) + params.added_keys;
    keys = max(0, min(keys, length));
  }

  // One that is known already, but for where its keys are.
  __device__ __forceinline__ Sequence(const Params& params, int index, int query, int query_count, int key_count)
      : batch(index),
        first_query(query),
        first_key(0),
        queries(query_count),
        keys(key_count),
        window_left(params.window_left),
        window_right(params.window_right) {}

  // The last query is beside the last key. May be negative.
  __device__ __forceinline__ int key_beside(int query) const { return query + keys - queries; }
  __device__ __forceinline__ int first_visible(int query) const { return max(0, key_beside(query) - window_left); }
  __device__ __forceinline__ int visible_end(int query) const {
    return min(keys, key_beside(query) + window_right + 1);
  }

  // Of the queries [first, last]: what some of them see, and what all of them see.
  __device__ __forceinline__ KeyRange seen_by_some(int first, int last) const {
    return {first_visible(first), visible_end(last)};
  }
  __device__ __forceinline__ KeyRange seen_by_all(int first, int last) const {
    return {first_visible(last), visible_end(first)};
  }

  // Where a row of a tensor like the query begins, in elements.
  __device__ __forceinline__ int64_t query_offset(const Params& params, const int64_t (&strides)[3], int head,
                                                  int row) const {
    const int64_t start = params.query_starts != nullptr ? first_query * strides[2] : batch * strides[0];
    return start + head * strides[1] + row * strides[2];
  }
  __device__ __forceinline__ int64_t log_sum_exp_index(const Params& params, int head, int row) const {
    if (params.query_starts != nullptr) return int64_t{head} * params.total_query_rows + first_query + row;
    return (int64_t{batch} * params.key_heads * params.group + head) * params.query_rows + row;
  }
};

}  // namespace assay::attention::serving
