// SPDX-License-Identifier: MIT
// A smooth step whose constants are doubles. The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_90 constants_without_f.cu
extern "C" __global__ void constants_without_f(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  for (int r = 0; r < 8; ++r) v = v * v * (3.0 - 2.0 * v) * 0.5 + 0.1;
  y[i] = v;
}
