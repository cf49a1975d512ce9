// SPDX-License-Identifier: MIT
// y = x after 512 steps of v = 0.999 v + 0.001. Each step waits for the one before it.
extern "C" __global__ void fma_chain(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
#pragma unroll 16
  for (int step = 0; step < 512; ++step) value = fmaf(0.999f, value, 0.001f);
  y[i] = value;
}
