// SPDX-License-Identifier: MIT
// The tiles of keys of a warp that works alone, one piece behind the other, so that its ring (warp_ring.cuh) is already
// filled with the keys of the next piece while the warp finishes one.
#pragma once

#include <cstdint>

#include "packed_rows.cuh"
#include "params.hpp"
#include "solo_shares.hpp"
#include "warp_ring.cuh"

namespace assay::attention::split_keys {

// Goes through the pieces of a warp's work, which lies in shared memory: it is read once for each piece.
class SoloWalk {
 public:
  __device__ __forceinline__ SoloWalk(const SoloWork& s_work, int piece_tiles)
      : work_(s_work), piece_tiles_(piece_tiles) {}

  int piece;
  SoloRange tiles;

  // False if there is no other.
  __device__ __forceinline__ bool next() {
    if (done_ < work_.whole) {
      piece = work_.first_piece + done_ * work_.step;
      tiles = {0, piece_tiles_};
    } else if (done_ == work_.whole && work_.shared_piece >= 0) {
      piece = work_.shared_piece;
      tiles = work_.tiles;
    } else {
      return false;
    }
    ++done_;
    return true;
  }
  __device__ __forceinline__ bool is_whole() const { return done_ <= work_.whole; }
  __device__ __forceinline__ int all_tiles() const { return work_.whole * piece_tiles_ + work_.tiles.count(); }

 private:
  const SoloWork& work_;
  int piece_tiles_;
  int done_ = 0;
};

// Brings memory nearer that somebody will read. PTX ISA, "prefetch".
__device__ __forceinline__ void prefetch_to_l2(const void* g_address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(g_address));
}

// For WarpRing: tiles are numbered from 0 over all pieces, and looked up in order.
template <typename Element, int kQueryRows, int kTileKeys, int kRowBytes>
class SoloTiles {
 public:
  static constexpr int kTileBytes = kTileKeys * kRowBytes;  // of keys, and of values

  struct Source {
    const Params& params;
    const SoloWalk& walk;  // before its first piece
  };

  __device__ __forceinline__ SoloTiles(const Source& source, int row_chunks, int lane)
      : params_(source.params), walk_(source.walk), copy_(lane, row_chunks) {}

  __device__ __forceinline__ void look_up(int number) {
    if (number > 0 && ++tile_ < walk_.tiles.end) return;
    if (!walk_.next()) return;
    tile_ = walk_.tiles.first;
    const int head = walk_.piece / params_.row_tiles;
    g_key_ = first_row(params_.key, params_.key_strides, head);
    g_value_ = first_row(params_.value, params_.value_strides, head);
    if (number > 0) prefetch_queries(head);
  }

  // Keys to s_keys, values behind them.
  __device__ __forceinline__ void fetch(uint32_t s_keys, int) const {
    copy_.fetch(s_keys, {g_key_, params_.key_strides[2] * kElementBytes}, tile_ * kTileKeys, params_.key_rows);
    copy_.fetch(s_keys + kTileBytes, {g_value_, params_.value_strides[2] * kElementBytes}, tile_ * kTileKeys,
                params_.key_rows);
  }

 private:
  static constexpr int64_t kElementBytes = sizeof(Element);

  __device__ __forceinline__ const char* first_row(const void* g_tensor, const int64_t (&strides)[3], int head) const {
    const int64_t offset = head / params_.key_heads * strides[0] + head % params_.key_heads * strides[1];
    return static_cast<const char*>(g_tensor) + offset * kElementBytes;
  }

  // The warp reads them when it comes to the piece.
  __device__ __forceinline__ void prefetch_queries(int head) const {
    const int row_tile = walk_.piece - head * params_.row_tiles;
    const PackedRows packed(params_, head / params_.key_heads, head % params_.key_heads, row_tile * kQueryRows);
    const int rows = min(packed.rows_left(), kQueryRows);
    for (int row = static_cast<int>(threadIdx.x) % 32; row < rows; row += 32) {
      const auto* g_row = static_cast<const Element*>(params_.query) + packed.offset(row, params_.query_strides);
      for (int chunk = 0; chunk < params_.row_chunks; chunk += kSwizzleSpanBytes / kChunkBytes)
        prefetch_to_l2(g_row + chunk * 8);
    }
  }

  const Params& params_;
  SoloWalk walk_;
  int tile_ = 0;
  const char* g_key_;  // of the piece
  const char* g_value_;
  WarpCopy<kTileKeys, kRowBytes> copy_;
};

}  // namespace assay::attention::split_keys
