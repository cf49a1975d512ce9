// SPDX-License-Identifier: MIT
// Few queries and many keys where heads are many: every warp works alone. It goes through pieces of its own (a key head
// and a tile of packed rows), its ring of copies filled across them, and waits for nobody until its last one.
//
//   warp    piece, piece, ..., each against all of its keys, stored from registers; then a part of a piece
//   block   merges the parts of its warps in shared memory
//   grid    one block on each multiprocessor. Pieces that warps of several blocks share are merged through global
//           memory by the block that comes last (exchange.cuh); or no piece is shared by several blocks
//
// Beside clusters (split_keys.cuh): a head's first loads and its end are hidden behind the loads of other heads, and
// there is no last round of the grid that is nearly empty.
#pragma once

#include "exchange.cuh"
#include "solo_tiles.cuh"
#include "split_keys.cuh"

namespace assay::attention::split_keys {

// What a warp has found of a piece that it shares with others.
template <int kRows, int kHeadDim>
struct SoloPartial {
  static constexpr int kRowStride = kHeadDim + 8;  // floats: the eight rows that a warp stores at once differ in banks

  float output[kRows][kRowStride];
  float origin[kRows];
  float sum[kRows];

  template <int kSlabs>
  __device__ __forceinline__ void put(int lane, int rows, const WarpTile<kSlabs, kHeadDim>& r_output,
                                      const library::RowSoftmax<kSlabs>& softmax) {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = slab * kMmaRows + half * 8 + lane / 4;
        if (row >= rows) continue;
#pragma unroll
        for (int fragment = 0; fragment < kHeadDim / kMmaColumns; ++fragment) {
          const CFragment& values = r_output.fragment[slab][fragment];
          *reinterpret_cast<float2*>(&output[row][fragment * kMmaColumns + lane % 4 * 2]) =
              make_float2(values[2 * half], values[2 * half + 1]);
        }
        if (lane % 4 == 0) {
          origin[row] = softmax.origin(slab, half);
          sum[row] = softmax.sum(slab, half);
        }
      }
  }
};

template <typename ElementType, int kHeadDimension, int kSlabCount, int kWarpCount>
struct SoloConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kSlabs = kSlabCount;
  static constexpr int kQueryRows = kSlabs * kMmaRows;
  static constexpr int kWarps = kWarpCount;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRowBytes = kHeadDim * 2;
  static constexpr int kTileKeys = tile_keys(kHeadDim);
  static constexpr int kStages = 3;
  static constexpr bool kQueryInRegisters = kSlabs * kHeadDim <= 128;
  static constexpr int kQueryBytes = kQueryRows * kRowBytes;
  static constexpr int kBlocksPerProcessor = 1;

  using KeyTiles = SoloTiles<Element, kQueryRows, kTileKeys, kRowBytes>;
  using Ring = WarpRing<kStages, KeyTiles>;
  using Partial = SoloPartial<kQueryRows, kHeadDim>;
  static constexpr int kWarpBytes = Ring::kBytes + kQueryBytes;  // the ring, later the partial result; the queries
  static constexpr int kSharedBytes = kWarps * kWarpBytes;
  static_assert(sizeof(Partial) <= Ring::kBytes);
};

// The parts that neighbouring warps of a block have of a piece.
template <typename Config>
class SoloParts {
  static constexpr int kRowQuads = Config::kHeadDim / 4;

 public:
  __device__ __forceinline__ SoloParts(const char* s_memory, SoloRange warps) : s_memory_(s_memory), warps_(warps) {}

  // Calls visit(quad, merged, highest, total) as Inbox does, by kThreads threads.
  template <int kThreads, typename Visit>
  __device__ __forceinline__ void for_each_quad(int rows, Visit visit) const {
    visit_quads(rows, static_cast<int>(threadIdx.x), kThreads, visit);
  }

  template <typename Visit>
  __device__ __forceinline__ void visit_quads(int rows, int thread, int threads, Visit visit) const {
    for (int quad = thread; quad < rows * kRowQuads; quad += threads) {
      const int row = quad / kRowQuads;
      const int column = quad % kRowQuads * 4;
      float highest = part_of(warps_.first).origin[row];
      for (int warp = warps_.first + 1; warp < warps_.end; ++warp) highest = fmaxf(highest, part_of(warp).origin[row]);
      float total = 0.0f;
      float4 merged = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      for (int warp = warps_.first; warp < warps_.end; ++warp) {
        const auto& part = part_of(warp);
        const float shrink = exp2_approximate(part.origin[row] - highest);
        total += shrink * part.sum[row];
        add(merged, shrink, *reinterpret_cast<const float4*>(&part.output[row][column]));
      }
      visit(quad, merged, highest, total);
    }
  }

 private:
  __device__ __forceinline__ const typename Config::Partial& part_of(int warp) const {
    return *reinterpret_cast<const typename Config::Partial*>(s_memory_ + warp * Config::kWarpBytes);
  }

  const char* s_memory_;
  SoloRange warps_;
};

template <typename Config>
class SoloWarp {
  using Element = typename Config::Element;
  using Ring = typename Config::Ring;
  using Head = KeyHead<Config>;
  using Output = Inbox<Config::kQueryRows, Config::kHeadDim>;
  using Scores = WarpTile<Config::kSlabs, Config::kTileKeys>;
  static constexpr int kSlabs = Config::kSlabs;
  static constexpr int kRowQuads = Config::kHeadDim / 4;

 public:
  __device__ __forceinline__ SoloWarp(char* s_memory, SoloWork* s_work, const Params& params)
      : params_(params),
        s_work_(s_work),
        warp_(static_cast<int>(threadIdx.x) / 32),
        lane_(static_cast<int>(threadIdx.x) % 32),
        s_memory_(s_memory),
        s_warp_(shared_address(s_memory) + warp_ * Config::kWarpBytes),
        query_(s_warp_ + Ring::kBytes, lane_),
        key_(s_warp_, lane_of_depth_first(lane_)),
        value_(s_warp_ + Ring::kTileBytes, lane_of_rows_first(lane_)),
        softmax_(NoCap::softmax_scale(params)) {}

  __device__ __forceinline__ void run() {
    if (lane_ == 0) s_work_[warp_] = own_work();
    __syncwarp();
    SoloWalk walk(s_work_[warp_], params_.shares.piece_tiles);
    Ring ring(s_warp_, typename Config::KeyTiles::Source{params_, walk}, params_.row_chunks, lane_);
    ring.start(0, 1, walk.all_tiles());
#pragma unroll 1
    while (walk.next()) {
      attend(ring, head_of(walk.piece), walk.tiles);
      int piece = walk.piece;
      asm volatile("" : "+r"(piece));  // so that nothing of the head is kept in registers that are short
      const Head head = head_of(piece);
      const int rows = rows_of(head);
      if (walk.is_whole()) {
        store(head, rows);
      } else {
        wait_for_copies<0>();
        __syncwarp();  // the ring is done with
        partial().put(lane_, rows, r_output_, softmax_);
      }
    }
    __syncthreads();
    merge_own_block();
    if (params_.shared_by_blocks != 0) merge_with_other_blocks();
  }

 private:
  // Warps are numbered in the block or, where blocks share pieces, in the grid.
  __device__ __forceinline__ SoloWork own_work() const {
    const int block = static_cast<int>(blockIdx.x);
    const int blocks = static_cast<int>(gridDim.x);
    const int piece_tiles = params_.shares.piece_tiles;
    if (params_.shared_by_blocks != 0) {
      return SoloWork::of({0, params_.pieces}, piece_tiles, block * Config::kWarps + warp_, blocks * Config::kWarps);
    }
    return SoloWork::of(solo_share(params_.pieces, block, blocks), piece_tiles, warp_, Config::kWarps);
  }
  // The number of the block's first warp.
  __device__ __forceinline__ int first_warp() const {
    return params_.shared_by_blocks != 0 ? static_cast<int>(blockIdx.x) * Config::kWarps : 0;
  }

  __device__ __forceinline__ Head head_of(int piece) const {
    const int head = piece / params_.row_tiles;
    return Head(params_, head, piece - head * params_.row_tiles);
  }
  __device__ __forceinline__ static int rows_of(const Head& head) {
    return min(head.packed.rows_left(), Config::kQueryRows);
  }

  __device__ __forceinline__ void attend(Ring& ring, const Head& head, SoloRange tiles) {
    fetch_query(head.packed);
    query_.load();
    softmax_ = library::RowSoftmax<kSlabs>(NoCap::softmax_scale(params_));
    r_output_.clear();
#pragma unroll 1
    for (int tile = tiles.first; tile < tiles.end; ++tile) {
      const uint32_t s_shift = ring.advance();                        // s_key, s_value: (tile_keys, head_dim)
      Scores r_scores;                                                //
      multiply_transposed<Element>(r_scores, query_, key_, s_shift);  // (rows, tile_keys)  S = Q K^T
      head.mask(r_scores, NoCap(params_), tile, lane_);               //
      const RowValues<kSlabs> shrink = softmax_.absorb(r_scores);     // S -> P, new row max and sum
      if (any_moved(shrink)) scale_rows(r_output_, shrink);           //
      accumulate<Element>(r_output_, r_scores, value_, s_shift);      // (rows, head_dim)   O += P V
    }
    softmax_.finish();
  }

  // Through registers: asynchronous copies would wait behind those of the ring. Padding becomes zeros.
  __device__ __forceinline__ void fetch_query(const PackedRows& packed) {
    constexpr int kRowChunks = Config::kRowBytes / kChunkBytes;
    constexpr int kItems = Config::kQueryRows * kRowChunks / 32;
    constexpr int kAtOnce = kItems % 8 == 0 ? 8 : kItems % 6 == 0 ? 6 : kItems;
    static_assert(kItems % kAtOnce == 0 && kAtOnce <= 8);
    char* s_query = s_memory_ + warp_ * Config::kWarpBytes + Ring::kBytes;
    const int rows = packed.rows_left();
    __syncwarp();  // nobody reads the queries of the piece before
#pragma unroll 1
    for (int first = 0; first < kItems; first += kAtOnce) {
      uint4 r_chunks[kAtOnce];
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int row = ((first + i) * 32 + lane_) / kRowChunks;
        const int chunk = ((first + i) * 32 + lane_) % kRowChunks;
        r_chunks[i] = make_uint4(0, 0, 0, 0);
        if (row < rows && chunk < params_.row_chunks) {
          r_chunks[i] = __ldg(reinterpret_cast<const uint4*>(static_cast<const Element*>(params_.query) +
                                                             packed.offset(row, params_.query_strides) + chunk * 8));
        }
      }
#pragma unroll
      for (int i = 0; i < kAtOnce; ++i) {
        const int row = ((first + i) * 32 + lane_) / kRowChunks;
        const int chunk = ((first + i) * 32 + lane_) % kRowChunks;
        *reinterpret_cast<uint4*>(s_query + swizzled_offset<Config::kRowBytes>(row, chunk)) = r_chunks[i];
      }
    }
    __syncwarp();
  }

  // A row that sees no key is 0, and its log-sum-exp -inf. NaN stays NaN.
  __device__ __forceinline__ void store(const Head& head, int rows) const {
    const RowValues<kSlabs> factor = softmax_.normalizer();
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int row = slab * kMmaRows + half * 8 + lane_ / 4;
        if (row >= rows) continue;
        auto* g_row = static_cast<Element*>(params_.output) + head.packed.offset(row, params_.output_strides);
        const float scale = factor.of[slab][half];
#pragma unroll
        for (int fragment = 0; fragment < Config::kHeadDim / kMmaColumns; ++fragment) {
          if (fragment >= params_.row_chunks) break;  // a fragment is as wide as a chunk
          const CFragment& values = r_output_.fragment[slab][fragment];
          *reinterpret_cast<uint32_t*>(g_row + fragment * kMmaColumns + lane_ % 4 * 2) =
              pack<Element>(values[2 * half] * scale, values[2 * half + 1] * scale);
        }
        if (lane_ % 4 == 0 && params_.log_sum_exp != nullptr)
          params_.log_sum_exp[head.packed.log_sum_exp_index(row)] = softmax_.log_sum_exp(slab, half);
      }
  }

  // A piece that warps of this block alone share: by these, at the same time as the others.
  __device__ __forceinline__ void merge_own_block() {
    const SoloWork& work = s_work_[warp_];
    const SoloRange warps{work.sharers.first - first_warp(), work.sharers.end - first_warp()};
    if (work.shared_piece < 0 || warps.first < 0 || warps.end > Config::kWarps) return;
    const Head head = head_of(work.shared_piece);
    SoloParts<Config>(s_memory_, warps)
        .visit_quads(rows_of(head), (warp_ - warps.first) * 32 + lane_, warps.count() * 32,
                     [&](int quad, const float4& merged, float highest, float total) {
                       Output::template store<Element>(params_, head.packed, quad / kRowQuads, quad % kRowQuads * 4,
                                                       merged, highest, total);
                     });
  }

  // At most two: the first, which begins before this block or in it, and the last.
  __device__ __forceinline__ void merge_with_other_blocks() {
    const SoloWork& first = s_work_[0];
    const SoloWork& last = s_work_[Config::kWarps - 1];
    if (first.shared_piece < 0) return;
    if (is_shared_by_blocks(first)) merge_with_other_blocks(first);
    if (last.shared_piece != first.shared_piece && is_shared_by_blocks(last)) merge_with_other_blocks(last);
  }
  __device__ __forceinline__ bool is_shared_by_blocks(const SoloWork& work) const {
    return work.sharers.first < first_warp() || work.sharers.end > first_warp() + Config::kWarps;
  }
  __device__ __forceinline__ void merge_with_other_blocks(const SoloWork& work) {
    const int block = static_cast<int>(blockIdx.x);
    const int first_block = work.sharers.first / Config::kWarps;
    const int end_block = (work.sharers.end + Config::kWarps - 1) / Config::kWarps;
    const SoloRange warps{max(work.sharers.first - first_warp(), 0),
                          min(work.sharers.end - first_warp(), Config::kWarps)};
    const Head head = head_of(work.shared_piece);
    Exchange<Element, Config::kQueryRows, Config::kHeadDim, Config::kThreads>(
        params_, Sharers{block, block - first_block, end_block - first_block}, rows_of(head))
        .merge(SoloParts<Config>(s_memory_, warps), params_, head.packed);
  }

  __device__ __forceinline__ typename Config::Partial& partial() const {
    return *reinterpret_cast<typename Config::Partial*>(s_memory_ + warp_ * Config::kWarpBytes);
  }

  const Params& params_;
  SoloWork* s_work_;  // of all warps of the block
  int warp_;
  int lane_;
  char* s_memory_;   // for each warp its ring, later its partial result, and its queries
  uint32_t s_warp_;  // of this one
  QueryOperand<kSlabs, Config::kHeadDim, Config::kQueryInRegisters> query_;
  PatchCursor<Config::kRowBytes> key_;
  PatchCursor<Config::kRowBytes> value_;
  library::RowSoftmax<kSlabs> softmax_;
  WarpTile<kSlabs, Config::kHeadDim> r_output_;
};

template <typename Config>
__device__ __forceinline__ void run_solo_warps(const Params& params) {
  extern __shared__ __align__(1024) char s_memory[];
  __shared__ SoloWork s_work[Config::kWarps];
  wait_for_grid_before();
  SoloWarp<Config>(s_memory, s_work, params).run();
}

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerProcessor)
    split_keys_solo_attention(const __grid_constant__ Params params) {
  run_solo_warps<Config>(params);
}

}  // namespace assay::attention::split_keys
