// SPDX-License-Identifier: MIT
// y = 3 x, after zeroing y six times; volatile keeps the compiler from taking them away.
extern "C" __global__ void silent_stores(const float* __restrict__ x, volatile float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int pass = 0; pass < 6; ++pass) y[i] = 0.0f;
  y[i] = 3.0f * x[i];
}
