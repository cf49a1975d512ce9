// SPDX-License-Identifier: MIT
// Tiles of tensors with any row stride, and rows that may be shorter than the tile's: what is missing arrives as zeros
// and is not written back. Eight threads take the eight 16-byte chunks of 128 bytes of one row (a span), so that a
// thread's place in the swizzle is the same for all of its rows and spans, which then differ by constants only.
#pragma once

#include <cstdint>

#include "../../primitives/async_copy.cuh"
#include "../../primitives/swizzle.cuh"
#include "../../primitives/warp_tile.cuh"
#include "../primitives/output_store.cuh"

namespace assay::attention::library {

inline constexpr int kSpanChunks = kSwizzleSpanBytes / kChunkBytes;
inline constexpr int kChunkElements = 8;

// One head of a tensor of 16-bit elements, as bytes.
struct StridedRows {
  char* g_base;
  int64_t row_bytes;  // from one row to the next
  int rows;
};

template <int kRows, int kRowBytes, int kThreads>
class StridedCopy {
 public:
  static constexpr int kTileBytes = kRows * kRowBytes;
  static constexpr int kSpans = kRowBytes / kSwizzleSpanBytes;
  static constexpr int kRowsPerPass = kThreads / kSpanChunks;
  static constexpr int kPasses = kRows / kRowsPerPass;
  static_assert(kRowsPerPass % kSwizzledRows == 0, "a pass covers whole groups of eight rows");
  static_assert(kRows % kRowsPerPass == 0, "the threads of a block copy a tile in whole passes");

  __device__ __forceinline__ explicit StridedCopy(int row_chunks) {
#pragma unroll
    for (int span = 0; span < kSpans; ++span)
      bytes_[span] = chunk() + span * kSpanChunks < row_chunks ? kChunkBytes : 0;
  }

  // Rows from `first_row` on of the tensor into the tile at s_tile. kRagged: the tile may reach past the last row.
  template <bool kRagged>
  __device__ __forceinline__ void fetch(uint32_t s_tile, const StridedRows& source, int first_row) const {
    const uint32_t s_chunk = s_tile + swizzled_offset<kRowBytes>(row(), chunk());
    const char* g_chunk =
        source.g_base + static_cast<int64_t>(first_row + row()) * source.row_bytes + chunk() * kChunkBytes;
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) {
      const bool inside = !kRagged || first_row + row() + pass * kRowsPerPass < source.rows;
#pragma unroll
      for (int span = 0; span < kSpans; ++span) {
        copy_bytes(s_chunk + pass * kRowsPerPass * kRowBytes + span * kSwizzleSpanBytes,
                   g_chunk + span * kSwizzleSpanBytes, inside ? bytes_[span] : 0);
      }
      g_chunk += kRowsPerPass * source.row_bytes;
    }
  }

 private:
  __device__ __forceinline__ static int row() { return static_cast<int>(threadIdx.x) / kSpanChunks; }
  __device__ __forceinline__ static int chunk() { return static_cast<int>(threadIdx.x) % kSpanChunks; }

  // PTX ISA, "cp.async": of 16 bytes the first `bytes` are read, the others become zero.
  __device__ __forceinline__ static void copy_bytes(uint32_t s_destination, const void* g_source, int bytes) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(s_destination), "l"(g_source),
                 "r"(bytes)
                 : "memory");
  }

  int bytes_[kSpans];  // 16, or 0 where the row has no such chunk
};

// Keys and values of one head, for the pipeline of ../primitives/key_value_pipeline.cuh.
template <int kKeyRows, int kRowBytes, int kThreads>
class StridedTiles {
  using Copy = StridedCopy<kKeyRows, kRowBytes, kThreads>;

 public:
  static constexpr int kTileBytes = Copy::kTileBytes;

  __device__ __forceinline__ static uint32_t thread_offset() { return 0; }  // Copy takes the tile's own address

  __device__ __forceinline__ StridedTiles(StridedRows key, StridedRows value, int row_chunks)
      : key_(key), value_(value), copy_(row_chunks) {}

  template <bool kRagged>
  __device__ __forceinline__ void fetch_keys(uint32_t s_tile, int block) const {
    copy_.template fetch<kRagged>(s_tile, key_, block * kKeyRows);
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_values(uint32_t s_tile, int block) const {
    copy_.template fetch<kRagged>(s_tile, value_, block * kKeyRows);
  }

 private:
  StridedRows key_;
  StridedRows value_;
  Copy copy_;
};

// A warp's rows, from fragments through shared memory to global memory, 16 bytes per lane.
// `s_rows`: the warp's own rows of a swizzled tile that nobody else touches any more.
template <typename Element, int kSlabs, int kHeadDim>
__device__ __forceinline__ void store_strided_rows(const StridedRows& target, int first_row, int row_chunks,
                                                   char* s_rows, const WarpTile<kSlabs, kHeadDim>& r_output, int lane) {
  constexpr int kRowBytes = kHeadDim * static_cast<int>(sizeof(Element));
  constexpr int kRowsPerPass = 32 / kSpanChunks;
  stage_rows<Element>(s_rows, r_output, lane);

#pragma unroll
  for (int pass = 0; pass < kSlabs * kMmaRows / kRowsPerPass; ++pass) {
    const int row = pass * kRowsPerPass + lane / kSpanChunks;
    if (first_row + row >= target.rows) continue;
    char* g_row = target.g_base + static_cast<int64_t>(first_row + row) * target.row_bytes;
#pragma unroll
    for (int span = 0; span < kRowBytes / kSwizzleSpanBytes; ++span) {
      const int chunk = span * kSpanChunks + lane % kSpanChunks;
      if (chunk < row_chunks) {
        *reinterpret_cast<uint4*>(g_row + chunk * kChunkBytes) =
            *reinterpret_cast<const uint4*>(s_rows + swizzled_offset<kRowBytes>(row, chunk));
      }
    }
  }
}

}  // namespace assay::attention::library
