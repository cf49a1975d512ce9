// SPDX-License-Identifier: MIT
// A row of a matrix product lies in the four lanes of a group: two exchanges reach all of them.
#pragma once

#include <cuda_runtime.h>

namespace assay {

inline constexpr unsigned kWholeWarp = 0xffffffffu;

__device__ __forceinline__ float group_maximum(float value) {
  value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, 1));
  return fmaxf(value, __shfl_xor_sync(kWholeWarp, value, 2));
}

__device__ __forceinline__ float group_sum(float value) {
  value += __shfl_xor_sync(kWholeWarp, value, 1);
  return value + __shfl_xor_sync(kWholeWarp, value, 2);
}

}  // namespace assay
