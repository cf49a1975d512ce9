// SPDX-License-Identifier: MIT
// Keys and values from global to shared memory while the tensor cores work: the order of copies and barriers of
// ../primitives/key_value_pipeline.cuh, for tensors with any row stride and any head size up to the tile's.
#pragma once

#include "strided_tiles.cuh"

namespace assay::attention::library {

// Blocks are taken from the last to the first, so that only the first one taken can be ragged. One stage: the values of
// a block arrive during its Q K^T, the keys of the next one during its P V. Two: the whole next block arrives
// meanwhile.
template <int kStages, int kKeyRows, int kRowBytes, int kThreads>
class StridedPipeline {
  static_assert(kStages == 1 || kStages == 2);
  using Copy = StridedCopy<kKeyRows, kRowBytes, kThreads>;

 public:
  static constexpr int kSharedBytes = 2 * kStages * Copy::kTileBytes;

  __device__ __forceinline__ StridedPipeline(StridedRows key, StridedRows value, uint32_t s_tiles, int row_chunks)
      : key_(key), value_(value), s_tiles_(s_tiles), copy_(row_chunks) {}

  // Keys of stage 0, keys of stage 1, values of stage 0, values of stage 1.
  __device__ __forceinline__ static uint32_t first_key_tile(uint32_t s_tiles) { return s_tiles; }
  __device__ __forceinline__ static uint32_t first_value_tile(uint32_t s_tiles) { return s_tiles + kValueShift; }

  // What to add to the address of the first tile to reach the current block's.
  __device__ __forceinline__ uint32_t stage_shift() const { return s_stage_; }

  // Issues the first block's copies, in one group with whatever was issued before.
  __device__ __forceinline__ void start(int block) {
    fetch_keys<true>(block, 0);
    if (kStages == 2) fetch_values<true>(block, 0);
    commit_copies();
  }

  // On return the block's keys are there for every thread. kRagged: the block may reach past the last key.
  template <bool kRagged>
  __device__ __forceinline__ void wait_for_keys(int block) {
    wait_for_copies<0>();
    __syncthreads();
    if (kStages == 1) {
      fetch_values<kRagged>(block, 0);
      commit_copies();
    } else if (block > 0) {
      fetch_keys<false>(block - 1, next_stage());
      fetch_values<false>(block - 1, next_stage());
      commit_copies();
    }
  }

  // On return the block's values are there for every thread.
  __device__ __forceinline__ void wait_for_values(int block) {
    if (kStages == 2) return;  // they came with the keys
    wait_for_copies<0>();
    __syncthreads();
    if (block > 0) {
      fetch_keys<false>(block - 1, 0);
      commit_copies();
    }
  }

  __device__ __forceinline__ void release() { s_stage_ = next_stage(); }

 private:
  static constexpr uint32_t kValueShift = kStages * Copy::kTileBytes;

  __device__ __forceinline__ uint32_t next_stage() const {
    return kStages == 1 ? 0 : s_stage_ ^ static_cast<uint32_t>(Copy::kTileBytes);
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_keys(int block, uint32_t s_stage) const {
    copy_.template fetch<kRagged>(s_tiles_ + s_stage, key_, block * kKeyRows);
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_values(int block, uint32_t s_stage) const {
    copy_.template fetch<kRagged>(s_tiles_ + kValueShift + s_stage, value_, block * kKeyRows);
  }

  StridedRows key_;
  StridedRows value_;
  uint32_t s_tiles_;
  uint32_t s_stage_ = 0;
  Copy copy_;
};

}  // namespace assay::attention::library
