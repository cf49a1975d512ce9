// SPDX-License-Identifier: MIT
// One value per thread becomes one value per block, known to every thread: a tree of warp shuffles, then one value per
// warp through shared memory. The order of additions depends on the block's size alone, so that results repeat exactly.
#pragma once

#include <cuda_runtime.h>

namespace assay {

inline constexpr int kWarpThreads = 32;

struct Sum {
  static constexpr float kNeutral = 0.0f;
  __device__ __forceinline__ static float combine(float a, float b) { return a + b; }
};

struct Maximum {
  static constexpr float kNeutral = -__builtin_huge_valf();
  __device__ __forceinline__ static float combine(float a, float b) { return fmaxf(a, b); }
};

template <typename Operation>
__device__ __forceinline__ float warp_reduce(float value) {
#pragma unroll
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2)
    value = Operation::combine(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

// Every thread of the block must call it, once for each kTurn: every turn has shared memory of its own, so that one
// barrier is enough.
template <typename Operation, int kThreads, int kTurn>
__device__ __forceinline__ float block_reduce_once(float value) {
  constexpr int kWarps = kThreads / kWarpThreads;
  static_assert(kThreads % kWarpThreads == 0 && kWarps <= kWarpThreads);
  __shared__ float s_partial[kWarps];
  value = warp_reduce<Operation>(value);
  if (threadIdx.x % kWarpThreads == 0) s_partial[threadIdx.x / kWarpThreads] = value;
  __syncthreads();
  if constexpr (kWarps > 8) {
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    return warp_reduce<Operation>(lane < kWarps ? s_partial[lane] : Operation::kNeutral);
  }
  float result = s_partial[0];
#pragma unroll
  for (int warp = 1; warp < kWarps; ++warp) result = Operation::combine(result, s_partial[warp]);
  return result;
}

// Every thread of the block must call it. Two barriers: the second lets the next call use the same shared memory.
template <typename Operation, int kThreads>
__device__ __forceinline__ float block_reduce(float value) {
  constexpr int kWarps = kThreads / kWarpThreads;
  static_assert(kThreads % kWarpThreads == 0 && kWarps <= kWarpThreads);
  __shared__ float s_partial[kWarps];
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  value = warp_reduce<Operation>(value);
  if (lane == 0) s_partial[threadIdx.x / kWarpThreads] = value;
  __syncthreads();
  value = warp_reduce<Operation>(lane < kWarps ? s_partial[lane] : Operation::kNeutral);
  __syncthreads();
  return value;
}

}  // namespace assay
