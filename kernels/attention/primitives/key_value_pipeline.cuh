// SPDX-License-Identifier: MIT
// Brings keys and values from global to shared memory while the tensor cores work. Blocks are taken from the last to
// the first, so that only the first one taken can be ragged.
//
// One stage: a key and a value buffer; the values of a block arrive during its Q K^T, the keys of the next block during
// its P V. Two barriers per block. Two stages: the whole next block arrives during the current one. One barrier.
#pragma once

#include <cstdint>

#include "../../primitives/async_copy.cuh"
#include "../../primitives/swizzle.cuh"

namespace assay {

// The order of copies and barriers. Tiles knows where keys and values come from: it has kTileBytes, the offset in a
// tile at which this thread begins, and fetch_keys<kRagged> and fetch_values<kRagged>, which bring this thread's part
// of a block there. kRagged: the block may reach past the last key.
template <int kStages, class Tiles>
class KeyValuePipeline {
  static_assert(kStages == 1 || kStages == 2);

 public:
  __device__ __forceinline__ KeyValuePipeline(const Tiles& tiles, uint32_t s_tiles)
      : tiles_(tiles), s_first_(s_tiles + Tiles::thread_offset()) {}

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

  // On return the block's keys are there for every thread.
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
  static constexpr uint32_t kValueShift = kStages * Tiles::kTileBytes;

  __device__ __forceinline__ uint32_t next_stage() const {
    return kStages == 1 ? 0 : s_stage_ ^ static_cast<uint32_t>(Tiles::kTileBytes);
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_keys(int block, uint32_t s_stage) const {
    tiles_.template fetch_keys<kRagged>(s_first_ + s_stage, block);
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_values(int block, uint32_t s_stage) const {
    tiles_.template fetch_values<kRagged>(s_first_ + kValueShift + s_stage, block);
  }

  Tiles tiles_;
  uint32_t s_first_;  // where this thread begins in the first key tile
  uint32_t s_stage_ = 0;
};

// Copies tiles of kRows rows, contiguous in global memory, swizzled in shared memory; every thread of the block helps.
// Threads take consecutive chunks: one pass of the block covers whole groups of eight rows, so that the swizzle of a
// thread's chunk is the same in every pass and passes differ by constants only.
template <int kRows, int kRowBytes, int kThreads>
struct TileCopy {
  static constexpr int kTileBytes = kRows * kRowBytes;
  static constexpr int kPassBytes = kThreads * kChunkBytes;
  static constexpr int kPasses = kTileBytes / kPassBytes;
  static_assert(kTileBytes % kPassBytes == 0, "the threads of a block copy a tile in whole passes");
  static_assert(kPassBytes % (kSwizzledRows * kRowBytes) == 0, "a pass covers whole groups of eight rows");

  __device__ __forceinline__ static int row(int thread) { return thread * kChunkBytes / kRowBytes; }

  // Where the thread's first chunk lies in the shared tile.
  __device__ __forceinline__ static uint32_t offset(int thread) {
    return swizzled_offset<kRowBytes>(row(thread), thread % (kRowBytes / kChunkBytes));
  }

  __device__ __forceinline__ static void whole(uint32_t s_chunk, const char* g_chunk) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass) copy_16_bytes(s_chunk + pass * kPassBytes, g_chunk + pass * kPassBytes);
  }

  // Rows from `rows` on become zero: a masked probability is 0, and 0 times what was left there might be NaN.
  __device__ __forceinline__ static void ragged(uint32_t s_chunk, const char* g_chunk, int rows, int thread) {
#pragma unroll
    for (int pass = 0; pass < kPasses; ++pass)
      copy_16_bytes_or_zero(s_chunk + pass * kPassBytes, g_chunk + pass * kPassBytes,
                            row(thread) + pass * (kPassBytes / kRowBytes) < rows);
  }
};

// Keys and values of one head, both (sequence, kRowBytes) without gaps.
template <int kKeyRows, int kRowBytes, int kThreads>
class ContiguousTiles {
  using Copy = TileCopy<kKeyRows, kRowBytes, kThreads>;

 public:
  static constexpr int kTileBytes = Copy::kTileBytes;

  __device__ __forceinline__ static uint32_t thread_offset() { return Copy::offset(threadIdx.x); }

  __device__ __forceinline__ ContiguousTiles(const void* g_key, const void* g_value, int sequence)
      : g_key_(static_cast<const char*>(g_key) + threadIdx.x * kChunkBytes),
        g_value_(static_cast<const char*>(g_value) + threadIdx.x * kChunkBytes),
        sequence_(sequence) {}

  template <bool kRagged>
  __device__ __forceinline__ void fetch_keys(uint32_t s_chunk, int block) const {
    fetch<kRagged>(s_chunk, g_key_, block);
  }
  template <bool kRagged>
  __device__ __forceinline__ void fetch_values(uint32_t s_chunk, int block) const {
    fetch<kRagged>(s_chunk, g_value_, block);
  }

 private:
  template <bool kRagged>
  __device__ __forceinline__ void fetch(uint32_t s_chunk, const char* g_tensor, int block) const {
    const char* g_chunk = g_tensor + static_cast<int64_t>(block) * Copy::kTileBytes;
    if constexpr (kRagged) {
      Copy::ragged(s_chunk, g_chunk, sequence_ - block * kKeyRows, threadIdx.x);
    } else {
      Copy::whole(s_chunk, g_chunk);
    }
  }

  const char* g_key_;  // this thread's chunk of block 0
  const char* g_value_;
  int sequence_;
};

}  // namespace assay
