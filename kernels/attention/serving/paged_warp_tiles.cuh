// SPDX-License-Identifier: MIT
// Tiles of keys and values for one warp, of rows that lie in pages (for the ring of ../split_keys/warp_ring.cuh). The
// pages of a tile are looked up one tile ahead, so that no copy waits for the block table.
#pragma once

#include <cstdint>

#include "../split_keys/warp_ring.cuh"
#include "paged_keys.cuh"

namespace assay::attention::serving {

template <int kTileKeys, int kRowBytes>
class PagedWarpTiles {
  static constexpr int kUnits = kTileKeys / kPageUnit;
  static constexpr int kUnitBytes = kPageUnit * kRowBytes;

 public:
  static constexpr int kTileBytes = kTileKeys * kRowBytes;  // of keys, and of values

  __device__ __forceinline__ PagedWarpTiles(const PagedKeys& keys, int row_chunks, int lane)
      : keys_(keys), copy_(lane, row_chunks) {}

  __device__ __forceinline__ void look_up(int tile) {
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) place_[unit] = keys_.find(tile * kUnits + unit);
  }

  // The tile that was looked up last.
  __device__ __forceinline__ void fetch(uint32_t s_keys, int tile) const {
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) {
      const int rows = keys_.rows - (tile * kUnits + unit) * kPageUnit;
      const uint32_t s_unit = s_keys + unit * kUnitBytes;
      copy_.fetch(s_unit, {keys_.key_row(place_[unit], 0), keys_.key_row_bytes()}, 0, rows);
      copy_.fetch(s_unit + kTileBytes, {keys_.value_row(place_[unit], 0), keys_.value_row_bytes()}, 0, rows);
    }
  }

 private:
  PagedKeys keys_;
  split_keys::WarpCopy<kPageUnit, kRowBytes> copy_;
  UnitPlace place_[kUnits];
};

}  // namespace assay::attention::serving
