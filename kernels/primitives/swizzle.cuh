// SPDX-License-Identifier: MIT
// Shared-memory tiles without bank conflicts and without padding. A row is a multiple of 128 bytes, all 32 banks, so
// that the same 16-byte chunk of eight consecutive rows would lie in the same four banks. The tile stores chunk c of
// row r at chunk c ^ (r % 8): eight rows of one chunk (ldmatrix) and eight chunks of one row (copies) both touch every
// bank once. Rows stay 16-byte aligned, which padding by one element would break.
//
// Where a row is an odd multiple of 64 bytes, its neighbour begins at the other half of the banks: four even and four
// odd rows take a half each, and chunk c of row r lies at c ^ (r / 2 % 4).
#pragma once

#include <cstdint>

#include "load_matrix.cuh"

namespace assay {

inline constexpr int kChunkBytes = 16;
inline constexpr int kSwizzledRows = 8;
inline constexpr int kSwizzleSpanBytes = kSwizzledRows * kChunkBytes;  // what the XOR permutes: 128 bytes
inline constexpr int kHalfSpanBytes = kSwizzleSpanBytes / 2;  // or the half of it, in rows of 64, 192, ... bytes

template <int kRowBytes>
inline constexpr bool kHasHalfSpan = kRowBytes % kSwizzleSpanBytes != 0;

template <int kRowBytes>
__device__ __forceinline__ uint32_t swizzled_offset(int row, int chunk) {
  static_assert(kRowBytes % kHalfSpanBytes == 0, "a swizzled row is a multiple of 64 bytes");
  const int moved = kHasHalfSpan<kRowBytes> ? row % kSwizzledRows / 2 : row % kSwizzledRows;
  return static_cast<uint32_t>(row * kRowBytes + (chunk ^ moved) * kChunkBytes);
}

// One lane's place in a swizzled tile, from which it reaches every 16-row, 2-chunk patch with one XOR and additions
// of constants: a patch's row is the lane's plus a multiple of 16, so that row % 8, the swizzle, is the lane's own.
// The tile must start at a multiple of 128 bytes.
template <int kRowBytes>
class PatchCursor {
 public:
  __device__ __forceinline__ PatchCursor(uint32_t s_tile, Lane lane)
      : s_address_(s_tile + swizzled_offset<kRowBytes>(lane.row, lane.chunk)) {}

  // Patches are counted: row_patch in steps of 16 rows, chunk_patch in steps of 2 chunks. `s_shift` moves to another
  // tile of the same form (a pipeline stage).
  __device__ __forceinline__ uint32_t at(int row_patch, int chunk_patch, uint32_t s_shift = 0) const {
    constexpr int kSpanBytes = kHasHalfSpan<kRowBytes> ? kHalfSpanBytes : kSwizzleSpanBytes;
    constexpr int kPatchesPerSpan = kSpanBytes / (2 * kChunkBytes);
    const uint32_t within_span = static_cast<uint32_t>(chunk_patch % kPatchesPerSpan) * 2 * kChunkBytes;
    const uint32_t span = static_cast<uint32_t>(chunk_patch / kPatchesPerSpan) * kSpanBytes;
    return ((s_address_ + s_shift) ^ within_span) + span + static_cast<uint32_t>(row_patch) * 16 * kRowBytes;
  }

 private:
  uint32_t s_address_;
};

}  // namespace assay
