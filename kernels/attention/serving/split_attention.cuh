// SPDX-License-Identifier: MIT
// Few queries of each sequence against many keys, as in decoding: ../split_keys/split_keys.cuh for sequences of any
// length, windows, capped scores and paged keys. A cluster shares the keys that a tile of packed rows sees.
#pragma once

#include "../primitives/warp_products.cuh"
#include "../split_keys/partial_results.cuh"
#include "band.cuh"
#include "packed_rows.cuh"
#include "paged_ring.cuh"

namespace assay::attention::serving {

template <typename ElementType, int kHeadDimension, int kSlabCount, int kWarpCount>
struct SplitConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kSlabs = kSlabCount;
  static constexpr int kQueryRows = kSlabs * kMmaRows;
  static constexpr int kWarps = kWarpCount;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRowBytes = kHeadDim * 2;
  static constexpr int kTileKeys = kHeadDim <= 64 ? 32 : 16;  // of a warp
  static constexpr int kStages = 3;
  static constexpr bool kQueryInRegisters = kSlabs * kHeadDim <= 128;
  static constexpr int kQueryBytes = kQueryRows * kRowBytes;

  using Ring = PagedRing<kStages, kTileKeys, kRowBytes>;
  using Partial = split_keys::PartialResults<kQueryRows, kHeadDim, kWarps>;
  using Arrivals = split_keys::Inbox<kQueryRows, kHeadDim>;
  static constexpr int kRingBytes = kWarps * Ring::kBytes;
  static constexpr int kRingOrPartialBytes = kRingBytes > int{sizeof(Partial)} ? kRingBytes : int{sizeof(Partial)};
  static constexpr int kSharedBytes = kQueryBytes + kRingOrPartialBytes + int{sizeof(Arrivals)};
  static constexpr int kBlocksPerProcessor = 2 * kSharedBytes <= 228 * 1024 - 2048 ? 2 : 1;
};

template <typename Config>
class SplitAttention {
  using Element = typename Config::Element;
  using Ring = typename Config::Ring;
  using Scores = WarpTile<Config::kSlabs, Config::kTileKeys>;
  static constexpr int kSlabs = Config::kSlabs;

 public:
  __device__ __forceinline__ SplitAttention(const Params& params, const Sequence& sequence, char* s_memory,
                                            int key_head, int first_row)
      : params_(params),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32),
        packed_(params, sequence, key_head, first_row),
        some_(sequence.seen_by_some(0, sequence.queries - 1)),
        all_(sequence.seen_by_all(0, sequence.queries - 1)),
        s_memory_(s_memory),
        s_ring_(shared_address(s_memory) + Config::kQueryBytes + warp_ * Ring::kBytes),
        query_(shared_address(s_memory), lane_),
        key_(s_ring_, lane_of_depth_first(lane_)),
        value_(s_ring_ + Ring::kTileBytes, lane_of_rows_first(lane_)),
        ring_(s_ring_, PagedKeys(params, sequence, key_head), params.row_chunks, lane_),
        softcap_(params),
        softmax_(Softcap::softmax_scale(params)) {}

  __device__ __forceinline__ void run() {
    const int first_tile = some_.first / Config::kTileKeys;
    const int tiles = some_.end > some_.first ? (some_.end - 1) / Config::kTileKeys + 1 - first_tile : 0;
    const int first = first_tile + share_of(tiles, cluster_rank());
    const int end = first_tile + share_of(tiles, cluster_rank() + 1);
    arrive_at_cluster();  // it has started
    fetch_query();
    ring_.start(first + warp_, Config::kWarps, end);
    wait_for_copies<Config::kStages - 1>();  // for the queries
    __syncthreads();
    query_.load();

    r_output_.clear();
#pragma unroll 1
    for (int tile = first + warp_; tile < end; tile += Config::kWarps) {
      const int first_key = tile * Config::kTileKeys;
      const uint32_t s_shift = ring_.advance();                       // s_key, s_value: (tile_keys, head_dim)
      Scores r_scores;                                                //
      multiply_transposed<Element>(r_scores, query_, key_, s_shift);  // (rows, tile_keys)  S = Q K^T
      softcap_.apply(r_scores);
      if (first_key < all_.first || first_key + Config::kTileKeys > all_.end) {
        hide_outside(r_scores, first_key, lane_, [&](int row) { return packed_.visible(row); });
      }
      const RowValues<kSlabs> shrink = softmax_.absorb(r_scores);  // S -> P, new row max and sum
      if (moved(shrink)) scale_rows(r_output_, shrink);            //
      accumulate<Element>(r_output_, r_scores, value_, s_shift);   // (rows, head_dim)   O += P V
    }
    wait_for_copies<0>();
    softmax_.finish();
    merge();
  }

 private:
  // The first of a block's tiles: shares differ by one tile at most.
  __device__ __forceinline__ static int share_of(int tiles, int rank) {
    return static_cast<int>(int64_t{tiles} * rank / cluster_blocks());
  }

  // Padding rows and columns become zeros.
  __device__ __forceinline__ void fetch_query() {
    constexpr int kRowChunks = Config::kRowBytes / kChunkBytes;
    const uint32_t s_query = shared_address(s_memory_);
    const int rows = packed_.rows_left();
#pragma unroll
    for (int i = 0; i < (Config::kQueryRows * kRowChunks + Config::kThreads - 1) / Config::kThreads; ++i) {
      const int item = i * Config::kThreads + static_cast<int>(threadIdx.x);
      const int row = item / kRowChunks;
      const int chunk = item % kRowChunks;
      if (row >= Config::kQueryRows) break;
      const bool inside = row < rows && chunk < params_.row_chunks;
      const auto* g_query = static_cast<const Element*>(params_.query) +
                            packed_.offset(inside ? row : 0, params_.query_strides) + (inside ? chunk * 8 : 0);
      copy_16_bytes_or_zero(s_query + swizzled_offset<Config::kRowBytes>(row, chunk), g_query, inside);
    }
    commit_copies();
  }

  // Whether the largest score of some row of the warp changed. Rarely so after the first tiles.
  __device__ __forceinline__ static bool moved(const RowValues<kSlabs>& shrink) {
    bool any = false;
#pragma unroll
    for (const auto& slab : shrink.of) any = any || slab[0] != 1.0f || slab[1] != 1.0f;
    return __any_sync(kWholeWarp, any) != 0;
  }

  __device__ __forceinline__ void merge() {
    auto& s_partial = *reinterpret_cast<typename Config::Partial*>(s_memory_ + Config::kQueryBytes);
    auto& s_inbox =
        *reinterpret_cast<typename Config::Arrivals*>(s_memory_ + Config::kQueryBytes + Config::kRingOrPartialBytes);
    const int rows = min(packed_.rows_left(), Config::kQueryRows);
    __syncthreads();  // all rings are done with
    s_partial.put(warp_, lane_, r_output_, softmax_);
    wait_for_cluster();  // all blocks have started: their inboxes are there
    s_partial.merge_warps(s_inbox, rows);
    arrive_at_cluster();
    wait_for_cluster();  // all have sent
    s_inbox.template merge_blocks<Element, Config::kThreads>(params_, packed_, rows);
  }

  const Params& params_;
  int warp_;
  int lane_;
  PackedRows packed_;
  KeyRange some_;    // keys that some query of the sequence sees
  KeyRange all_;     // that all see
  char* s_memory_;   // (query_rows, head_dim); the rings, later the partial results; the inbox
  uint32_t s_ring_;  // the warp's own
  QueryOperand<kSlabs, Config::kHeadDim, Config::kQueryInRegisters> query_;
  PatchCursor<Config::kRowBytes> key_;
  PatchCursor<Config::kRowBytes> value_;
  Ring ring_;
  Softcap softcap_;
  library::RowSoftmax<kSlabs> softmax_;
  WarpTile<kSlabs, Config::kHeadDim> r_output_;
};

// Grid: clusters of any size, one for each (sequence, key head, tile of packed rows of the longest one). A cluster
// whose tile the sequence does not have ends at once, all of its blocks.
template <typename Config>
__device__ __forceinline__ void run_split(const Params& params) {
  extern __shared__ __align__(1024) char s_memory[];
  asm volatile("griddepcontrol.wait;" ::: "memory");  // PTX ISA "griddepcontrol"; free of effect without the attribute
  const int work = static_cast<int>(blockIdx.x) / cluster_blocks();
  const int head = work / params.row_tiles;
  const int first_row = work % params.row_tiles * Config::kQueryRows;
  const Sequence sequence(params, head / params.key_heads);
  if (first_row >= params.group * sequence.queries) return;
  SplitAttention<Config>(params, sequence, s_memory, head % params.key_heads, first_row).run();
}

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerProcessor)
    split_attention(const __grid_constant__ Params params) {
  run_split<Config>(params);
}

}  // namespace assay::attention::serving
