// SPDX-License-Identifier: MIT
// Broken on purpose: the difference to the next element, also for the last one, which has no next element.
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    forward_difference(const float* __restrict__ x, float* __restrict__ y, int N) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  if (i < N) {
    const float next = x[i + 1];
    y[i] = next - x[i];
  }
}
