// SPDX-License-Identifier: MIT
// Broken on purpose: the bias is optional and null when there is none; the kernel reads it all the same.
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    add_bias(const float* __restrict__ x, const float* bias, float* __restrict__ y, int ROWS, int COLUMNS) {
  const int i = static_cast<int>(blockIdx.x) * BLOCK + static_cast<int>(threadIdx.x);
  if (i < ROWS * COLUMNS) {
    const float shift = bias[i % COLUMNS];
    y[i] = x[i] + shift;
  }
}
