// SPDX-License-Identifier: MIT
// 1 / (1 - x) for small x as a geometric series with far more terms than float32 can tell apart.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo long_series.cu
extern "C" __global__ void long_series(const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float value = x[i];
  float sum = 1.0f;
#pragma unroll
  for (int term = 0; term < 256; ++term)
    sum = fmaf(sum, value, 1.0f);  // sixteen would do
  y[i] = sum;
}
