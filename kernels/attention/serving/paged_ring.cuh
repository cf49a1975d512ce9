// SPDX-License-Identifier: MIT
// A warp's own ring of asynchronous copies, as ../split_keys/warp_ring.cuh, of rows that lie in pages. The pages of a
// tile are looked up one tile ahead, so that no copy waits for the block table.
#pragma once

#include <cstdint>

#include "../split_keys/warp_ring.cuh"
#include "paged_keys.cuh"

namespace assay::attention::serving {

// The tiles first, first + step, ... below `end`, in order.
template <int kStages, int kTileKeys, int kRowBytes>
class PagedRing {
  static constexpr int kUnits = kTileKeys / kPageUnit;
  static constexpr int kUnitBytes = kPageUnit * kRowBytes;

 public:
  static constexpr int kTileBytes = kTileKeys * kRowBytes;  // of keys, and of values
  static constexpr int kStageBytes = 2 * kTileBytes;
  static constexpr int kBytes = kStages * kStageBytes;

  __device__ __forceinline__ PagedRing(uint32_t s_ring, const PagedKeys& keys, int row_chunks, int lane)
      : s_ring_(s_ring), keys_(keys), copy_(lane, row_chunks) {}

  __device__ __forceinline__ void start(int first, int step, int end) {
    next_ = first;
    step_ = step;
    end_ = end;
    look_up();
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
      const uint32_t s_stage = s_ring_ + static_cast<uint32_t>(stage) * kStageBytes;
#pragma unroll
      for (int unit = 0; unit < kUnits; ++unit) {
        const int rows = keys_.rows - (next_ * kUnits + unit) * kPageUnit;
        const uint32_t s_unit = s_stage + unit * kUnitBytes;
        copy_.fetch(s_unit, {keys_.key_row(place_[unit], 0), keys_.key_row_bytes()}, 0, rows);
        copy_.fetch(s_unit + kTileBytes, {keys_.value_row(place_[unit], 0), keys_.value_row_bytes()}, 0, rows);
      }
      next_ += step_;
      look_up();
    }
    commit_copies();  // also where there is none, so that groups count tiles
  }

  __device__ __forceinline__ void look_up() {
#pragma unroll
    for (int unit = 0; unit < kUnits; ++unit) place_[unit] = keys_.find(next_ * kUnits + unit);
  }

  uint32_t s_ring_;  // (stages, {keys, values}, tile_keys, head_dim)
  PagedKeys keys_;
  split_keys::WarpCopy<kPageUnit, kRowBytes> copy_;
  UnitPlace place_[kUnits];  // of the next tile
  int next_;
  int step_;
  int end_;
  int stage_ = 0;
};

}  // namespace assay::attention::serving
