// SPDX-License-Identifier: MIT
// Forward attention for few queries and many keys, as in decoding: all queries see the keys of a tensor, causal or all
// (split_block.cuh has the kernel).
#pragma once

#include "../primitives/no_cap.cuh"
#include "packed_rows.cuh"
#include "params.hpp"
#include "split_block.cuh"

namespace assay::attention::split_keys {

template <typename ElementType, int kHeadDimension, int kSlabCount, int kWarpCount>
struct SplitConfig : SplitBlockConfig<ElementType, kHeadDimension, kSlabCount, kWarpCount, HeadTiles> {};

// One key head and a tile of the rows that meet it.
template <typename Config>
struct KeyHead {
  using Element = typename Config::Element;
  using Cap = NoCap;

  const Params& params;
  PackedRows packed;

  // `head`: key head of all batches.
  __device__ __forceinline__ KeyHead(const Params& call, int head, int row_tile)
      : params(call), packed(call, head / call.key_heads, head % call.key_heads, row_tile * Config::kQueryRows) {}

  __device__ __forceinline__ static HeadKeys keys_of(const Params& params, int head, int) {
    return {rows_of(params, params.key, params.key_strides, head),
            rows_of(params, params.value, params.value_strides, head), params.key_rows};
  }

  template <typename Scores>
  __device__ __forceinline__ void mask(Scores& r_scores, const NoCap&, int tile, int lane) const {
    if ((tile + 1) * Config::kTileKeys > packed.first_hidden_key()) hide(r_scores, tile * Config::kTileKeys, lane);
  }

 private:
  __device__ __forceinline__ static HeadRows rows_of(const Params& params, const void* g_tensor,
                                                     const int64_t (&strides)[3], int head) {
    const int64_t offset = head / params.key_heads * strides[0] + head % params.key_heads * strides[1];
    return {static_cast<const char*>(g_tensor) + offset * int64_t{sizeof(Element)},
            strides[2] * int64_t{sizeof(Element)}};
  }

  template <int kSlabs, int kColumns>
  __device__ __forceinline__ void hide(WarpTile<kSlabs, kColumns>& r_scores, int first_key, int lane) const {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int visible = packed.visible_keys(slab * kMmaRows + half * 8 + lane / 4) - first_key - lane % 4 * 2;
#pragma unroll
        for (int fragment = 0; fragment < WarpTile<kSlabs, kColumns>::kFragments; ++fragment)
#pragma unroll
          for (int i = 0; i < 2; ++i)
            if (fragment * kMmaColumns + i >= visible) r_scores.fragment[slab][fragment][2 * half + i] = -INFINITY;
      }
  }
};

// Grid: clusters of any size, which share out the tiles of all pieces (even_shares.hpp). A piece is a key head, of all
// batches, and a tile of packed rows.
template <typename Config>
__device__ __forceinline__ void run_split_keys(const Params& params) {
  extern __shared__ __align__(1024) char s_memory[];
  wait_for_grid_before();
  const EvenShares& shares = params.shares;
  const int group = work_of_cluster() / shares.sharers;  // of clusters that share
  const int sharer = work_of_cluster() - group * shares.sharers;
  const int end = shares.first_tile(sharer + 1);
#pragma unroll 1
  for (int tile = shares.first_tile(sharer); tile < end;) {
    const int number = tile / shares.piece_tiles;  // of the piece, among those of the group
    const int first = number * shares.piece_tiles;
    const int next = first + shares.piece_tiles;
    const int count = min(end, next) - tile;
    Sharers sharers{group * shares.sharers + sharer, 0, 1};
    if (count < shares.piece_tiles) {
      sharers.number = sharer - shares.sharer_of(first);
      sharers.count = shares.sharer_of(next - 1) - sharer + sharers.number + 1;
    }
    const int piece = group + number;
    SplitBlock<Config, KeyHead<Config>>(s_memory, params, piece / params.row_tiles, piece % params.row_tiles)
        .run_share({tile - first, count}, sharers);
    tile += count;
    if (tile < end) __syncthreads();  // shared memory is used again
  }
}

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerProcessor)
    split_keys_attention(const __grid_constant__ Params params) {
  run_split_keys<Config>(params);
}

}  // namespace assay::attention::split_keys
