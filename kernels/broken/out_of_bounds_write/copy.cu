// SPDX-License-Identifier: MIT
// Broken on purpose: `<=` where `<` was meant. One thread more than there are elements writes.
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_elements(const float* __restrict__ x, float* __restrict__ y, int N) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  const float value = i < N ? x[i] : 0.0f;
  if (i <= N) {
    y[i] = value;
  }
}
