// SPDX-License-Identifier: MIT
// Writes a warp's output rows through shared memory: fragments hold two neighbouring elements per lane, global memory
// wants 16 bytes per lane and whole rows per warp.
#pragma once

#include <cstdint>

#include "../../primitives/swizzle.cuh"
#include "../../primitives/warp_tile.cuh"

namespace assay {

// Fragments to rows of shared memory, which the whole warp may read on return.
template <typename Element, int kSlabs, int kHeadDim>
__device__ __forceinline__ void stage_rows(char* s_rows, const WarpTile<kSlabs, kHeadDim>& r_output, int lane) {
  constexpr int kRowBytes = kHeadDim * static_cast<int>(sizeof(Element));
#pragma unroll
  for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
    for (int half = 0; half < 2; ++half)
#pragma unroll
      for (int column = 0; column < kHeadDim / kMmaColumns; ++column) {  // eight 16-bit columns are one chunk
        const int row = slab * kMmaRows + half * 8 + lane / 4;
        const CFragment& value = r_output.fragment[slab][column];
        *reinterpret_cast<uint32_t*>(s_rows + swizzled_offset<kRowBytes>(row, column) + lane % 4 * 4) =
            pack<Element>(value[2 * half], value[2 * half + 1]);
      }
  __syncwarp();
}

// `s_rows`: the warp's own rows of a swizzled tile that nobody else touches any more. `rows`: how many rows exist.
template <typename Element, int kSlabs, int kHeadDim>
__device__ __forceinline__ void store_rows(Element* g_rows, char* s_rows, const WarpTile<kSlabs, kHeadDim>& r_output,
                                           int rows, int lane) {
  constexpr int kRowBytes = kHeadDim * sizeof(Element);
  constexpr int kRowChunks = kRowBytes / kChunkBytes;
  constexpr int kRowsPerPass = 32 / kRowChunks;

  stage_rows<Element>(s_rows, r_output, lane);

#pragma unroll
  for (int pass = 0; pass < kSlabs * kMmaRows / kRowsPerPass; ++pass) {
    const int row = pass * kRowsPerPass + lane / kRowChunks;
    const int chunk = lane % kRowChunks;
    if (row < rows) {
      reinterpret_cast<uint4*>(g_rows)[row * kRowChunks + chunk] =
          *reinterpret_cast<const uint4*>(s_rows + swizzled_offset<kRowBytes>(row, chunk));
    }
  }
}

}  // namespace assay
