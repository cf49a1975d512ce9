// SPDX-License-Identifier: MIT
// The queries of all heads of a group, packed into rows that meet the same keys: row r is query r % query_rows of head
// r / query_rows of the group. So keys and values are read once for the whole group.
#pragma once

#include <cstdint>

#include "../../primitives/warp_tile.cuh"
#include "params.hpp"

namespace assay::attention::split_keys {

// Where a packed row comes from.
struct PackedPlace {
  int head;  // of the group
  int query;

  __device__ __forceinline__ PackedPlace(int packed_row, int queries)
      : head(packed_row / queries), query(packed_row - head * queries) {}
};

class PackedRows {
 public:
  // A tile of the rows of one group, from first_row on.
  __device__ __forceinline__ PackedRows(const Params& params, int batch, int key_head, int first_row)
      : params_(params), batch_(batch), first_head_(key_head * params.group), first_row_(first_row) {}

  // Of the tile's rows from 0; those from here on are padding.
  __device__ __forceinline__ int rows_left() const { return params_.group * params_.query_rows - first_row_; }

  // Where a row of a tensor like the query begins, in elements.
  __device__ __forceinline__ int64_t offset(int row, const int64_t (&strides)[3]) const {
    const PackedPlace place = place_of(row);
    return batch_ * strides[0] + (first_head_ + place.head) * strides[1] + place.query * strides[2];
  }
  __device__ __forceinline__ int64_t log_sum_exp_index(int row) const {
    const PackedPlace place = place_of(row);
    const int64_t heads = int64_t{params_.key_heads} * params_.group;
    return (batch_ * heads + first_head_ + place.head) * params_.query_rows + place.query;
  }
  // The first key that a row does not see.
  __device__ __forceinline__ int visible_keys(int row) const {
    if (params_.causal == 0) return params_.key_rows;
    return min(params_.key_rows, params_.key_rows - params_.query_rows + place_of(row).query + 1);
  }
  // The first key that some row does not see.
  __device__ __forceinline__ int first_hidden_key() const {
    return params_.causal == 0 ? params_.key_rows : params_.key_rows - params_.query_rows + 1;
  }

 private:
  __device__ __forceinline__ PackedPlace place_of(int row) const { return {first_row_ + row, params_.query_rows}; }

  const Params& params_;
  int64_t batch_;
  int first_head_;
  int first_row_;
};

}  // namespace assay::attention::split_keys
