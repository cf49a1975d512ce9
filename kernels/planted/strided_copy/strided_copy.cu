// SPDX-License-Identifier: MIT
// y = x. Thread t copies elements 16 t to 16 t + 15, one by one.
extern "C" __global__ void strided_copy(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 16;
  for (int i = first; i < first + 16 && i < n; ++i) y[i] = x[i];
}
