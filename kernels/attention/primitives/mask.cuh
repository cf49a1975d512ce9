// SPDX-License-Identifier: MIT
// Which keys a query may see: those that exist and, when causal, none after itself. One number per row says it: keys
// below visible_keys(row) are seen, all others are not. Most blocks of keys are seen whole and never meet this object.
#pragma once

#include <cuda_runtime.h>

#include "../../primitives/warp_tile.cuh"

namespace assay {

struct Mask {
  int sequence;
  bool causal;

  __device__ __forceinline__ int visible_keys(int query) const { return causal ? min(query + 1, sequence) : sequence; }

  // Key blocks that the queries [first_query, first_query + query_rows) look at: [0, end_block), of which those
  // before first_masked_block are seen whole by every query.
  template <int kKeyRows>
  __device__ __forceinline__ int end_block(int first_query, int query_rows) const {
    return (visible_keys(first_query + query_rows - 1) + kKeyRows - 1) / kKeyRows;
  }
  template <int kKeyRows>
  __device__ __forceinline__ int first_masked_block(int first_query) const {
    return visible_keys(first_query) / kKeyRows;
  }

  // True if none of the queries up to last_query sees any key from first_key on.
  __device__ __forceinline__ bool hides(int first_key, int last_query) const {
    return first_key >= visible_keys(last_query);
  }

  // `first_query` and `first_key` are the tile's upper left corner.
  template <int kSlabs, int kColumns>
  __device__ __forceinline__ void apply(WarpTile<kSlabs, kColumns>& scores, int first_query, int first_key,
                                        int lane) const {
    const int thread_query = first_query + lane / 4;
    const int thread_key = first_key + lane % 4 * 2;
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int visible = visible_keys(thread_query + slab * kMmaRows + half * 8) - thread_key;
#pragma unroll
        for (int column = 0; column < WarpTile<kSlabs, kColumns>::kFragments; ++column)
#pragma unroll
          for (int i = 0; i < 2; ++i)
            if (column * kMmaColumns + i >= visible) scores.fragment[slab][column][2 * half + i] = -INFINITY;
      }
  }
};

}  // namespace assay
