// SPDX-License-Identifier: MIT
// Broken on purpose: a home-made barrier over the whole grid that waits for one block more than there are.
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_after_barrier(const float* __restrict__ x, float* __restrict__ y, int* arrived, int N) {
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) <= static_cast<int>(gridDim.x)) {
    }
  }
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  if (i < N) y[i] = x[i];
}
