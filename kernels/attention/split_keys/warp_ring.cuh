// SPDX-License-Identifier: MIT
// Keys and values on their way to one warp: a ring of stages in shared memory that no other warp touches, filled by the
// warp's own asynchronous copies. A warp waits for its copies and for nobody else.
#pragma once

#include <cstdint>

#include "../../primitives/async_copy.cuh"
#include "../../primitives/swizzle.cuh"

namespace assay::attention::split_keys {

// One head of a tensor of 16-bit elements, as bytes.
struct HeadRows {
  const char* g_base;
  int64_t row_bytes;  // from one row to the next
};

struct HeadKeys {
  HeadRows key;
  HeadRows value;
  int rows;
};

// Copies of (kRows, kRowBytes) tiles by the 32 lanes of a warp: eight lanes take the eight 16-byte chunks of 128 bytes
// of a row (a span), so that a pass covers four rows. What is left of a row, half a span, is for four lanes, and a pass
// over it covers eight rows.
template <int kRows, int kRowBytes>
class WarpCopy {
  static constexpr int kSpanChunks = kSwizzleSpanBytes / kChunkBytes;
  static constexpr int kSpans = kRowBytes / kSwizzleSpanBytes;
  static constexpr int kRowsPerPass = 32 / kSpanChunks;
  static constexpr int kHalfChunks = kHalfSpanBytes / kChunkBytes;
  static_assert(kRows % kSwizzledRows == 0 && kSwizzledRows == 2 * kRowsPerPass);

 public:
  __device__ __forceinline__ WarpCopy(int lane, int row_chunks)
      : row_(lane / kSpanChunks),
        chunk_(lane % kSpanChunks),
        chunks_(row_chunks),
        s_offset_{swizzled_offset<kRowBytes>(row_, chunk_), swizzled_offset<kRowBytes>(row_ + kRowsPerPass, chunk_)} {}

  // Rows from `first_row` on. Those from `rows` on, and columns that the tensor does not have, become zeros.
  __device__ __forceinline__ void fetch(uint32_t s_tile, const HeadRows& source, int first_row, int rows) const {
    const char* g_chunk = source.g_base + (first_row + row_) * source.row_bytes + chunk_ * kChunkBytes;
#pragma unroll
    for (int pass = 0; pass < kRows / kRowsPerPass; ++pass) {
      const bool inside = first_row + row_ + pass * kRowsPerPass < rows;
      const uint32_t s_chunk = s_tile + s_offset_[pass % 2] + pass / 2 * kSwizzledRows * kRowBytes;
#pragma unroll
      for (int span = 0; span < kSpans; ++span) {
        copy(s_chunk + span * kSwizzleSpanBytes, g_chunk + span * kSwizzleSpanBytes,
             inside && chunk_ + span * kSpanChunks < chunks_ ? kChunkBytes : 0);
      }
      g_chunk += kRowsPerPass * source.row_bytes;
    }
    if constexpr (kHasHalfSpan<kRowBytes>) fetch_half_span(s_tile, source, first_row, rows);
  }

 private:
  __device__ __forceinline__ void fetch_half_span(uint32_t s_tile, const HeadRows& source, int first_row,
                                                  int rows) const {
    const int lane = row_ * kSpanChunks + chunk_;
    const int row = lane / kHalfChunks;
    const int chunk = kSpans * kSpanChunks + lane % kHalfChunks;
    const uint32_t s_chunk = s_tile + swizzled_offset<kRowBytes>(row, chunk);
    const char* g_chunk = source.g_base + (first_row + row) * source.row_bytes + chunk * kChunkBytes;
#pragma unroll
    for (int pass = 0; pass < kRows / kSwizzledRows; ++pass) {
      const bool inside = first_row + row + pass * kSwizzledRows < rows && chunk < chunks_;
      copy(s_chunk + pass * kSwizzledRows * kRowBytes, g_chunk, inside ? kChunkBytes : 0);
      g_chunk += kSwizzledRows * source.row_bytes;
    }
  }

  // PTX ISA, "cp.async": of 16 bytes the first `bytes` are read, the others become zero. Without the hints that the L2
  // cache fetch 128 or 256 bytes at a time: memory then gives 4.4 TB/s instead of 4.1 (README.md).
  __device__ __forceinline__ static void copy(uint32_t s_destination, const void* g_source, int bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(s_destination), "l"(g_source), "r"(bytes)
                 : "memory");
  }

  int row_;
  int chunk_;
  int chunks_;            // of a row
  uint32_t s_offset_[2];  // of rows 0-3 and 4-7 of a group of eight
};

// Tiles of keys and values of one head.
template <int kTileKeys, int kRowBytes>
class HeadTiles {
 public:
  static constexpr int kTileBytes = kTileKeys * kRowBytes;  // of keys, and of values

  __device__ __forceinline__ HeadTiles(const HeadKeys& keys, int row_chunks, int lane)
      : key_(keys.key), value_(keys.value), rows_(keys.rows), copy_(lane, row_chunks) {}

  __device__ __forceinline__ void look_up(int) {}  // every tile is where its number says

  // Keys to s_keys, values behind them.
  __device__ __forceinline__ void fetch(uint32_t s_keys, int tile) const {
    copy_.fetch(s_keys, key_, tile * kTileKeys, rows_);
    copy_.fetch(s_keys + kTileBytes, value_, tile * kTileKeys, rows_);
  }

 private:
  HeadRows key_;
  HeadRows value_;
  int rows_;
  WarpCopy<kTileKeys, kRowBytes> copy_;
};

// The tiles first, first + step, ... below `end`, in order. Tiles: HeadTiles, or others that are looked up one tile
// before they are fetched.
template <int kStages, typename Tiles>
class WarpRing {
 public:
  static constexpr int kTileBytes = Tiles::kTileBytes;
  static constexpr int kStageBytes = 2 * kTileBytes;
  static constexpr int kBytes = kStages * kStageBytes;

  // `keys`: where they lie.
  template <typename Keys>
  __device__ __forceinline__ WarpRing(uint32_t s_ring, const Keys& keys, int row_chunks, int lane)
      : s_ring_(s_ring), tiles_(keys, row_chunks, lane) {}

  __device__ __forceinline__ void start(int first, int step, int end) {
    next_ = first;
    step_ = step;
    end_ = end;
    tiles_.look_up(next_);
#pragma unroll
    for (int stage = 0; stage < kStages - 1; ++stage) fetch_next(stage);
  }

  // Waits for the oldest tile, and lets another one come in the place of the one before. What is returned moves a
  // cursor of the first stage to the tile's own.
  __device__ __forceinline__ uint32_t advance() {
    wait_for_copies<kStages - 2>();
    __syncwarp();
    const uint32_t s_shift = static_cast<uint32_t>(stage_) * kStageBytes;
    fetch_next(stage_ == 0 ? kStages - 1 : stage_ - 1);
    stage_ = stage_ == kStages - 1 ? 0 : stage_ + 1;
    return s_shift;
  }

 private:
  __device__ __forceinline__ void fetch_next(int stage) {
    if (next_ < end_) {
      tiles_.fetch(s_ring_ + static_cast<uint32_t>(stage) * kStageBytes, next_);
      next_ += step_;
      tiles_.look_up(next_);
    }
    commit_copies();  // also where there is none, so that groups count tiles
  }

  uint32_t s_ring_;  // (stages, {keys, values}, tile_keys, head_dim)
  Tiles tiles_;
  int next_;
  int step_;
  int end_;
  int stage_ = 0;
};

}  // namespace assay::attention::split_keys
