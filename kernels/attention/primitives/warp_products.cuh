// SPDX-License-Identifier: MIT
// The two matrix products of attention, for the rows of one warp: S = Q K^T and O += P V.
#pragma once

#include <cstdint>

#include "../../primitives/load_matrix.cuh"
#include "../../primitives/matrix_multiply.cuh"
#include "../../primitives/swizzle.cuh"
#include "../../primitives/warp_tile.cuh"

namespace assay {

// The warp's queries as left operand: in registers for the whole kernel where they fit, else read again for each block.
template <int kSlabs, int kHeadDim, bool kInRegisters>
class QueryOperand {
 public:
  static constexpr int kSteps = kHeadDim / kMmaDepth;

  __device__ __forceinline__ QueryOperand(uint32_t s_query, int lane)  // s_query: the warp's first row
      : cursor_(s_query, lane_of_rows_first(lane)) {}

  // Call when the tile has arrived in shared memory.
  __device__ __forceinline__ void load() {
    if constexpr (kInRegisters) {
#pragma unroll
      for (int step = 0; step < kSteps; ++step)
#pragma unroll
        for (int slab = 0; slab < kSlabs; ++slab) load_matrices(r_query_[step][slab], cursor_.at(slab, step));
    }
  }

  __device__ __forceinline__ void fragment(AFragment& r_fragment, int slab, int step) const {
    if constexpr (kInRegisters) {
#pragma unroll
      for (int i = 0; i < 4; ++i) r_fragment[i] = r_query_[step][slab][i];
    } else {
      load_matrices(r_fragment, cursor_.at(slab, step));
    }
  }

 private:
  PatchCursor<kHeadDim * 2> cursor_;
  AFragment r_query_[kInRegisters ? kSteps : 1][kInRegisters ? kSlabs : 1];
};

// S = Q K^T. The keys, (key_rows, head_dim), are the right operand stored by columns: no transposition needed.
template <typename Element, int kSlabs, int kKeyRows, int kRowBytes, typename Query>
__device__ __forceinline__ void multiply_transposed(WarpTile<kSlabs, kKeyRows>& r_scores, const Query& query,
                                                    const PatchCursor<kRowBytes>& key, uint32_t s_shift) {
  r_scores.clear();
#pragma unroll
  for (int step = 0; step < Query::kSteps; ++step) {
    AFragment r_query[kSlabs];
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab) query.fragment(r_query[slab], slab, step);
#pragma unroll
    for (int pair = 0; pair < kKeyRows / (2 * kMmaColumns); ++pair) {
      uint32_t r_key[4];
      load_matrices(r_key, key.at(pair, step, s_shift));
#pragma unroll
      for (int slab = 0; slab < kSlabs; ++slab) {
        multiply_accumulate<Element>(r_scores.fragment[slab][2 * pair], r_query[slab], r_key[0], r_key[1]);
        multiply_accumulate<Element>(r_scores.fragment[slab][2 * pair + 1], r_query[slab], r_key[2], r_key[3]);
      }
    }
  }
}

// O += P V. P never leaves the registers: two neighbouring accumulator fragments are one left operand. The values,
// (key_rows, head_dim), are the right operand stored by rows: ldmatrix transposes them on the way.
template <typename Element, int kSlabs, int kKeyRows, int kHeadDim, int kRowBytes>
__device__ __forceinline__ void accumulate(WarpTile<kSlabs, kHeadDim>& r_output,
                                           const WarpTile<kSlabs, kKeyRows>& r_probabilities,
                                           const PatchCursor<kRowBytes>& value, uint32_t s_shift) {
#pragma unroll
  for (int step = 0; step < kKeyRows / kMmaDepth; ++step) {
    AFragment r_left[kSlabs];
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const CFragment& source = r_probabilities.fragment[slab][2 * step + i / 2];
        r_left[slab][i] = pack<Element>(source[i % 2 * 2], source[i % 2 * 2 + 1]);
      }
#pragma unroll
    for (int pair = 0; pair < kHeadDim / (2 * kMmaColumns); ++pair) {
      uint32_t r_value[4];
      load_matrices_transposed(r_value, value.at(step, pair, s_shift));
#pragma unroll
      for (int slab = 0; slab < kSlabs; ++slab) {
        multiply_accumulate<Element>(r_output.fragment[slab][2 * pair], r_left[slab], r_value[0], r_value[1]);
        multiply_accumulate<Element>(r_output.fragment[slab][2 * pair + 1], r_left[slab], r_value[2], r_value[3]);
      }
    }
  }
}

}  // namespace assay
