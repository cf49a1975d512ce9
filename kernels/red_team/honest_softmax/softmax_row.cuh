// SPDX-License-Identifier: MIT
// Softmax of one row by one block of 128 threads, as plain as can be: what the cheats pretend to do.
#pragma once

namespace red_team {

constexpr int kThreads = 128;
constexpr int kWarps = kThreads / 32;

template <typename Join>
__device__ __forceinline__ float reduce_block(float value, Join join, float* s_partial /* (kWarps) */) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = join(value, __shfl_xor_sync(0xffffffffu, value, distance));
  __syncthreads();  // the partial results of the reduction before have been read
  if (threadIdx.x % 32 == 0) s_partial[threadIdx.x / 32] = value;
  __syncthreads();
  value = s_partial[0];
  for (int warp = 1; warp < kWarps; ++warp) value = join(value, s_partial[warp]);
  return value;
}

__device__ __forceinline__ void softmax_row(const float* g_input, float* g_output, int columns) {
  __shared__ float s_partial[kWarps];
  const int thread = static_cast<int>(threadIdx.x);
  float largest = -INFINITY;
  for (int i = thread; i < columns; i += kThreads) largest = fmaxf(largest, g_input[i]);
  largest = reduce_block(largest, [](float a, float b) { return fmaxf(a, b); }, s_partial);
  float sum = 0.0f;
  for (int i = thread; i < columns; i += kThreads) sum += expf(g_input[i] - largest);
  sum = reduce_block(sum, [](float a, float b) { return a + b; }, s_partial);
  for (int i = thread; i < columns; i += kThreads) g_output[i] = expf(g_input[i] - largest) / sum;
}

}  // namespace red_team
