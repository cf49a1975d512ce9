// SPDX-License-Identifier: MIT
// A block of the kernels for few queries and many keys: what counts is to read keys and values once, from all
// multiprocessors, as fast as memory gives them. sm_90, for its clusters; products by mma.sync.
//
//   cluster   the keys of one key head (and one tile of packed rows), a share for each block
//   block     its share, in tiles that its warps take in turn
//   warp      all rows against its tiles: its own ring of copies, its own online softmax; no barrier in the loop
//
// At the end the warps of a block merge what they found, then the blocks of the cluster (partial_results.cuh).
//
// Kernels differ in where rows and keys lie and in who sees what. A kernel has a Head that knows, with
//   params, packed           what was called; the packed rows of this cluster (packed_rows.cuh)
//   Cap                      what is done to all scores before the softmax, and the scale that is left for that
//   tiles()                  of keys that some row sees
//   keys_of(...)             where they lie, for the tiles of the ring (warp_ring.cuh), from what a Head is made of
//   mask(scores, cap, ...)   caps scores; those of what a row may not see become -inf
#pragma once

#include "../primitives/warp_products.cuh"
#include "exchange.cuh"
#include "partial_results.cuh"
#include "warp_ring.cuh"

namespace assay::attention::split_keys {

// Tiles: copies the keys and values of a tile (warp_ring.cuh), by rows of a tile and bytes of a row.
template <typename ElementType, int kHeadDimension, int kSlabCount, int kWarpCount, template <int, int> typename Tiles>
struct SplitBlockConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kSlabs = kSlabCount;
  static constexpr int kQueryRows = kSlabs * kMmaRows;
  static constexpr int kWarps = kWarpCount;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRowBytes = kHeadDim * 2;
  static constexpr int kTileKeys = tile_keys(kHeadDim);  // of a warp
  static constexpr int kStages = 3;
  static constexpr bool kQueryInRegisters = kSlabs * kHeadDim <= 128;
  static constexpr int kQueryBytes = kQueryRows * kRowBytes;

  using KeyTiles = Tiles<kTileKeys, kRowBytes>;
  using Ring = WarpRing<kStages, KeyTiles>;
  using Partial = PartialResults<kQueryRows, kHeadDim, kWarps>;
  using Arrivals = Inbox<kQueryRows, kHeadDim>;
  static constexpr int kRingBytes = kWarps * Ring::kBytes;
  static constexpr int kRingOrPartialBytes = kRingBytes > int{sizeof(Partial)} ? kRingBytes : int{sizeof(Partial)};
  static constexpr int kSharedBytes = kQueryBytes + kRingOrPartialBytes + int{sizeof(Arrivals)};
  static constexpr int kBlocksPerProcessor = 2 * kSharedBytes <= 228 * 1024 - 2048 ? 2 : 1;
};

// Tiles of keys.
struct TileRange {
  int first;
  int count;
};

// Whether the largest score of some row of the warp changed. Rarely so after the first tiles.
template <int kSlabs>
__device__ __forceinline__ bool any_moved(const RowValues<kSlabs>& shrink) {
  bool any = false;
#pragma unroll
  for (const auto& slab : shrink.of) any = any || slab[0] != 1.0f || slab[1] != 1.0f;
  return __any_sync(kWholeWarp, any) != 0;
}

template <typename Config, typename Head>
class SplitBlock {
  using Element = typename Config::Element;
  using Ring = typename Config::Ring;
  using Scores = WarpTile<Config::kSlabs, Config::kTileKeys>;
  static constexpr int kSlabs = Config::kSlabs;

 public:
  // `of_head`: what a Head is made of.
  template <typename... OfHead>
  __device__ __forceinline__ explicit SplitBlock(char* s_memory, const OfHead&... of_head)
      : warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32),
        head_(of_head...),
        s_memory_(s_memory),
        s_ring_(shared_address(s_memory) + Config::kQueryBytes + warp_ * Ring::kBytes),
        query_(shared_address(s_memory), lane_),
        key_(s_ring_, lane_of_depth_first(lane_)),
        value_(s_ring_ + Ring::kTileBytes, lane_of_rows_first(lane_)),
        ring_(s_ring_, Head::keys_of(of_head...), head_.params.row_chunks, lane_),
        cap_(head_.params),
        softmax_(Head::Cap::softmax_scale(head_.params)) {}

  // The keys of all tiles that the head's rows see.
  __device__ __forceinline__ void run() {
    attend(head_.tiles());
    const int rows = merge_in_cluster();
    inbox().template merge_blocks<Element, Config::kThreads>(head_.params, head_.packed, rows);
  }

  // Some of them; other clusters have the rest.
  __device__ __forceinline__ void run_share(TileRange tiles, const Sharers& sharers) {
    attend(tiles);
    const int rows = merge_in_cluster();
    if (sharers.count == 1) {
      inbox().template merge_blocks<Element, Config::kThreads>(head_.params, head_.packed, rows);
    } else {
      Exchange<Element, Config::kQueryRows, Config::kHeadDim, Config::kThreads>(head_.params, sharers, rows)
          .merge(inbox(), head_.params, head_.packed);
    }
  }

 private:
  __device__ __forceinline__ void attend(TileRange tiles) {
    const int first = tiles.first + share_of(tiles.count, cluster_rank());
    const int end = tiles.first + share_of(tiles.count, cluster_rank() + 1);
    arrive_at_cluster();  // it has started
    fetch_query();
    ring_.start(first + warp_, Config::kWarps, end);
    wait_for_copies<Config::kStages - 1>();  // for the queries
    __syncthreads();
    query_.load();

    r_output_.clear();
#pragma unroll 1
    for (int tile = first + warp_; tile < end; tile += Config::kWarps) {
      const uint32_t s_shift = ring_.advance();                       // s_key, s_value: (tile_keys, head_dim)
      Scores r_scores;                                                //
      multiply_transposed<Element>(r_scores, query_, key_, s_shift);  // (rows, tile_keys)  S = Q K^T
      head_.mask(r_scores, cap_, tile, lane_);                        //
      const RowValues<kSlabs> shrink = softmax_.absorb(r_scores);     // S -> P, new row max and sum
      if (any_moved(shrink)) scale_rows(r_output_, shrink);           //
      accumulate<Element>(r_output_, r_scores, value_, s_shift);      // (rows, head_dim)   O += P V
    }
    wait_for_copies<0>();
    softmax_.finish();
  }

  // The first of a block's tiles: shares differ by one tile at most.
  __device__ __forceinline__ static int share_of(int tiles, int rank) {
    return static_cast<int>(int64_t{tiles} * rank / cluster_blocks());
  }

  // Padding rows and columns become zeros.
  __device__ __forceinline__ void fetch_query() {
    constexpr int kRowChunks = Config::kRowBytes / kChunkBytes;
    const uint32_t s_query = shared_address(s_memory_);
    const int rows = head_.packed.rows_left();
#pragma unroll
    for (int i = 0; i < (Config::kQueryRows * kRowChunks + Config::kThreads - 1) / Config::kThreads; ++i) {
      const int item = i * Config::kThreads + static_cast<int>(threadIdx.x);
      const int row = item / kRowChunks;
      const int chunk = item % kRowChunks;
      if (row >= Config::kQueryRows) break;
      const bool inside = row < rows && chunk < head_.params.row_chunks;
      const auto* g_query = static_cast<const Element*>(head_.params.query) +
                            head_.packed.offset(inside ? row : 0, head_.params.query_strides) +
                            (inside ? chunk * 8 : 0);
      copy_16_bytes_or_zero(s_query + swizzled_offset<Config::kRowBytes>(row, chunk), g_query, inside);
    }
    commit_copies();
  }

  // What the cluster's blocks have found lies in their inboxes afterwards. Returns how many rows there are.
  __device__ __forceinline__ int merge_in_cluster() {
    auto& s_partial = *reinterpret_cast<typename Config::Partial*>(s_memory_ + Config::kQueryBytes);
    const int rows = min(head_.packed.rows_left(), Config::kQueryRows);
    __syncthreads();  // all rings are done with
    s_partial.put(warp_, lane_, r_output_, softmax_);
    wait_for_cluster();  // all blocks have started: their inboxes are there
    s_partial.merge_warps(inbox(), rows);
    arrive_at_cluster();
    wait_for_cluster();  // all have sent
    return rows;
  }

  __device__ __forceinline__ typename Config::Arrivals& inbox() const {
    return *reinterpret_cast<typename Config::Arrivals*>(s_memory_ + Config::kQueryBytes + Config::kRingOrPartialBytes);
  }

  int warp_;
  int lane_;
  Head head_;
  char* s_memory_;   // (query_rows, head_dim); the rings, later the partial results; the inbox
  uint32_t s_ring_;  // the warp's own
  QueryOperand<kSlabs, Config::kHeadDim, Config::kQueryInRegisters> query_;
  PatchCursor<Config::kRowBytes> key_;
  PatchCursor<Config::kRowBytes> value_;
  Ring ring_;
  [[no_unique_address]] typename Head::Cap cap_;  // takes no place where there is none
  library::RowSoftmax<kSlabs> softmax_;
  WarpTile<kSlabs, Config::kHeadDim> r_output_;
};

// Of a grid of clusters of any size, which of the pieces of work is this cluster's.
__device__ __forceinline__ int work_of_cluster() {
  return static_cast<int>(blockIdx.x) / cluster_blocks();
}

// PTX ISA "griddepcontrol"; free of effect without the attribute
__device__ __forceinline__ void wait_for_grid_before() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace assay::attention::split_keys
