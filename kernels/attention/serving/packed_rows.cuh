// SPDX-License-Identifier: MIT
// The queries of all heads of a group as rows that meet the same keys, as ../split_keys/packed_rows.cuh, of a sequence.
#pragma once

#include <cstdint>

#include "../split_keys/packed_rows.cuh"
#include "sequence.cuh"

namespace assay::attention::serving {

class PackedRows {
 public:
  __device__ __forceinline__ PackedRows(const Params& params, const Sequence& sequence, int key_head, int first_row)
      : params_(params), sequence_(sequence), first_head_(key_head * params.group), first_row_(first_row) {}

  __device__ __forceinline__ const Sequence& sequence() const { return sequence_; }

  // Of the tile's rows from 0; those from here on are padding.
  __device__ __forceinline__ int rows_left() const { return params_.group * sequence_.queries - first_row_; }

  // Where a row of a tensor like the query begins, in elements.
  __device__ __forceinline__ int64_t offset(int row, const int64_t (&strides)[3]) const {
    const auto place = place_of(row);
    return sequence_.query_offset(params_, strides, first_head_ + place.head, place.query);
  }
  __device__ __forceinline__ int64_t log_sum_exp_index(int row) const {
    const auto place = place_of(row);
    return sequence_.log_sum_exp_index(params_, first_head_ + place.head, place.query);
  }
  __device__ __forceinline__ KeyRange visible(int row) const {
    const int query = place_of(row).query;
    return {sequence_.first_visible(query), sequence_.visible_end(query)};
  }

 private:
  __device__ __forceinline__ split_keys::PackedPlace place_of(int row) const {
    return {first_row_ + row, sequence_.queries};
  }

  const Params& params_;
  Sequence sequence_;
  int first_head_;
  int first_row_;
};

}  // namespace assay::attention::serving
