// SPDX-License-Identifier: MIT
// Few queries of each sequence against many keys, as in decoding: ../split_keys/split_block.cuh for sequences of any
// length, windows, capped scores and paged keys. A cluster shares the keys that a tile of packed rows sees.
#pragma once

#include "../split_keys/split_block.cuh"
#include "band.cuh"
#include "packed_rows.cuh"
#include "paged_warp_tiles.cuh"

namespace assay::attention::serving {

template <typename ElementType, int kHeadDimension, int kSlabCount, int kWarpCount>
struct SplitConfig : split_keys::SplitBlockConfig<ElementType, kHeadDimension, kSlabCount, kWarpCount, PagedWarpTiles> {
};

// One key head of a sequence and a tile of the rows that meet it.
template <typename Config>
struct SequenceHead {
  using Cap = Softcap;

  const Params& params;
  PackedRows packed;
  KeyRange some;  // keys that some query of the sequence sees
  KeyRange all;   // that all see

  __device__ __forceinline__ SequenceHead(const Params& call, const Sequence& sequence, int key_head, int first_row)
      : params(call),
        packed(call, sequence, key_head, first_row),
        some(sequence.seen_by_some(0, sequence.queries - 1)),
        all(sequence.seen_by_all(0, sequence.queries - 1)) {}

  __device__ __forceinline__ split_keys::TileRange tiles() const {
    const int first = some.first / Config::kTileKeys;
    return {first, some.end > some.first ? (some.end - 1) / Config::kTileKeys + 1 - first : 0};
  }

  __device__ __forceinline__ static PagedKeys keys_of(const Params& params, const Sequence& sequence, int key_head,
                                                      int) {
    return PagedKeys(params, sequence, key_head);
  }

  template <typename Scores>
  __device__ __forceinline__ void mask(Scores& r_scores, const Softcap& cap, int tile, int lane) const {
    const int first_key = tile * Config::kTileKeys;
    cap.apply(r_scores);
    if (first_key < all.first || first_key + Config::kTileKeys > all.end) {
      hide_outside(r_scores, first_key, lane, [&](int row) { return packed.visible(row); });
    }
  }
};

// Grid: clusters of any size, one for each (sequence, key head, tile of packed rows of the longest one). A cluster
// whose tile the sequence does not have ends at once, all of its blocks.
template <typename Config>
__device__ __forceinline__ void run_split(const Params& params) {
  extern __shared__ __align__(1024) char s_memory[];
  split_keys::wait_for_grid_before();
  const int work = split_keys::work_of_cluster();
  const int head = work / params.row_tiles;
  const int first_row = work % params.row_tiles * Config::kQueryRows;
  const Sequence sequence(params, head / params.key_heads);
  if (first_row >= params.group * sequence.queries) return;
  using Block = split_keys::SplitBlock<Config, SequenceHead<Config>>;
  Block(s_memory, params, sequence, head % params.key_heads, first_row).run();
}

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerProcessor)
    split_attention(const __grid_constant__ Params params) {
  run_split<Config>(params);
}

}  // namespace assay::attention::serving
