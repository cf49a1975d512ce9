// SPDX-License-Identifier: MIT
// Broken on purpose: a barrier, and no cp.async.wait_group. The barrier orders threads; the copies are not theirs any
// more. What is read from shared memory is what was there before, unless the copies happen to be fast.
#include <cstdint>

#include "../../primitives/async_copy.cuh"

#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_tiles(const float* __restrict__ x, float* __restrict__ y, int N) {
  __shared__ __align__(16) float s_tile[4 * BLOCK];
  const int first = (static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x)) * 4;
  assay::copy_16_bytes_or_zero(assay::shared_address(s_tile + 4 * threadIdx.x), x + first, first < N);
  assay::commit_copies();
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < 4 * BLOCK; i += BLOCK) {
    const int element = static_cast<int>(blockIdx.x) * 4 * BLOCK + i;
    if (element < N) y[element] = s_tile[i];
  }
}
