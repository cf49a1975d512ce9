// SPDX-License-Identifier: MIT
// Broken on purpose: the barrier stands in a branch that the upper half of the block does not take. On a GPU the lower
// half waits until the others have exited, and the result is right: until somebody adds a second barrier.
#ifndef BROKEN
#define BROKEN 1
#endif

constexpr int kThreads = 128;

extern "C" __global__ void __launch_bounds__(kThreads) copy_half(const float* __restrict__ x, float* __restrict__ y) {
  __shared__ float s_tile[kThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * kThreads + thread;
  float value = 2 * x[i];
#if BROKEN
  if (thread < kThreads / 2) {
    s_tile[thread] = value;
    __syncthreads();  // the upper half never comes
    value = s_tile[thread];
  }
#else
  if (thread < kThreads / 2) s_tile[thread] = value;
  __syncthreads();
  if (thread < kThreads / 2) value = s_tile[thread];
#endif
  y[i] = value / 2;
}
