// SPDX-License-Identifier: MIT
// A float matrix in the registers of one warp: slabs of 16 rows, each a row of 16x8 accumulator fragments. A thread
// holds two rows of every slab (matrix_multiply.cuh has the layout): lane / 4, called the upper row, and that plus 8.
#pragma once

#include "matrix_multiply.cuh"

namespace assay {

template <int kSlabCount, int kColumns>
struct WarpTile {
  static constexpr int kSlabs = kSlabCount;
  static constexpr int kFragments = kColumns / kMmaColumns;

  CFragment fragment[kSlabs][kFragments];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int column = 0; column < kFragments; ++column)
#pragma unroll
        for (int i = 0; i < 4; ++i) fragment[slab][column][i] = 0.0f;
  }
};

// One value for each of the rows that a thread shares with its group of four lanes.
template <int kSlabs>
struct RowValues {
  float of[kSlabs][2];  // (slab, upper or lower row)
};

template <int kSlabs, int kColumns>
__device__ __forceinline__ void scale_rows(WarpTile<kSlabs, kColumns>& tile, const RowValues<kSlabs>& factor) {
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
    for (auto& fragment : tile.fragment[slab])
#pragma unroll
      for (int i = 0; i < 4; ++i) fragment[i] *= factor.of[slab][i / 2];
}

}  // namespace assay
