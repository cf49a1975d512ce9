// SPDX-License-Identifier: MIT
// What a warp does with its rows of a tile of queries, for kernels of mma.sync whose blocks stream keys and values past
// them (sm_80 and later).
#pragma once

#include "../primitives/key_value_pipeline.cuh"
#include "../primitives/warp_products.cuh"
#include "row_softmax.cuh"

namespace assay::attention::library {

// One block of keys and values. kRagged: some of its keys may not exist. hidden: no row of this warp sees any.
// mask(scores): caps them, and those of what a row may not see become -inf.
template <bool kRagged, typename Element, int kKeyRows, typename Query, typename Cursor, typename Pipeline, int kSlabs,
          int kHeadDim, typename Mask>
__device__ __forceinline__ void attend_keys(int block, bool hidden, const Query& query, const Cursor& key,
                                            const Cursor& value, Pipeline& pipeline, RowSoftmax<kSlabs>& softmax,
                                            WarpTile<kSlabs, kHeadDim>& r_output, const Mask& mask) {
  const uint32_t s_shift = pipeline.stage_shift();
  WarpTile<kSlabs, kKeyRows> r_scores;

  pipeline.template wait_for_keys<kRagged>(block);
  if (!hidden) {
    multiply_transposed<Element>(r_scores, query, key, s_shift);  // (rows, key_rows)  S = Q K^T
    mask(r_scores);
  }
  pipeline.wait_for_values(block);
  if (!hidden) {
    const auto shrink = softmax.absorb(r_scores);  // S -> P
    scale_rows(r_output, shrink);
    accumulate<Element>(r_output, r_scores, value, s_shift);  // (rows, head_dim)  O += P V
  }
  pipeline.release();
}

// The log-sum-exp of the warp's rows, the first of which is first_row of the `rows` of a head. By reference, so that
// the compiler decides row by row; it makes other machine code of copies.
template <int kSlabs>
__device__ __forceinline__ void store_log_sum_exp(float* g_head, int first_row, const int& rows,
                                                  const RowSoftmax<kSlabs>& softmax, const int& lane) {
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + slab * kMmaRows + half * 8 + lane / 4;
      if (lane % 4 == 0 && row < rows) g_head[row] = softmax.log_sum_exp(slab, half);
    }
}

}  // namespace assay::attention::library
