// SPDX-License-Identifier: MIT
// Tiles of keys and values for the threads of a block: rows of a sequence, wherever its pages are, into swizzled shared
// memory. As ../library/strided_tiles.cuh, whose passes of 16 rows are units of a page here.
#pragma once

#include <cstdint>

#include "../../primitives/swizzle.cuh"
#include "paged_keys.cuh"

namespace assay::attention::serving {

template <int kKeyRows, int kRowBytes, int kThreads>
class PagedTiles {
  static constexpr int kSpanChunks = kSwizzleSpanBytes / kChunkBytes;
  static constexpr int kSpans = kRowBytes / kSwizzleSpanBytes;
  static constexpr int kUnits = kKeyRows / kPageUnit;  // of a tile
  static_assert(kThreads == kPageUnit * kSpanChunks, "a pass is a unit");
  static_assert(kKeyRows % kPageUnit == 0);

 public:
  static constexpr int kTileBytes = kKeyRows * kRowBytes;

  __device__ __forceinline__ static uint32_t thread_offset() { return 0; }

  // Blocks are counted from first_block on.
  __device__ __forceinline__ PagedTiles(const PagedKeys& keys, int first_block, int row_chunks)
      : keys_(keys), first_block_(first_block) {
#pragma unroll
    for (int span = 0; span < kSpans; ++span)
      bytes_[span] = chunk() + span * kSpanChunks < row_chunks ? kChunkBytes : 0;
  }

  template <bool kRagged>
  __device__ __forceinline__ void fetch_keys(uint32_t s_tile, int block) const {
    fetch(s_tile, block, [&](UnitPlace unit) { return keys_.key_row(unit, row()); });
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_values(uint32_t s_tile, int block) const {
    fetch(s_tile, block, [&](UnitPlace unit) { return keys_.value_row(unit, row()); });
  }

 private:
  __device__ __forceinline__ static int row() { return static_cast<int>(threadIdx.x) / kSpanChunks; }
  __device__ __forceinline__ static int chunk() { return static_cast<int>(threadIdx.x) % kSpanChunks; }

  template <typename RowOf>
  __device__ __forceinline__ void fetch(uint32_t s_tile, int block, const RowOf& row_of) const {
    const int first_unit = (first_block_ + block) * kUnits;
    const uint32_t s_chunk = s_tile + swizzled_offset<kRowBytes>(row(), chunk());
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) {
      const bool inside = (first_unit + unit) * kPageUnit + row() < keys_.rows;
      const char* g_chunk = row_of(keys_.find(first_unit + unit)) + chunk() * kChunkBytes;
#pragma unroll
      for (int span = 0; span < kSpans; ++span) {
        copy_bytes(s_chunk + unit * kPageUnit * kRowBytes + span * kSwizzleSpanBytes,
                   g_chunk + span * kSwizzleSpanBytes, inside ? bytes_[span] : 0);
      }
    }
  }

  // PTX ISA, "cp.async": of 16 bytes the first `bytes` are read, the others become zero.
  __device__ __forceinline__ static void copy_bytes(uint32_t s_destination, const void* g_source, int bytes) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(s_destination), "l"(g_source),
                 "r"(bytes)
                 : "memory");
  }

  PagedKeys keys_;
  int first_block_;
  int bytes_[kSpans];  // 16, or 0 where the row has no such chunk
};

}  // namespace assay::attention::serving
