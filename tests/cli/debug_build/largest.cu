// SPDX-License-Identifier: MIT
// y = x in many steps, compiled for debugging: nvcc -G -ptx -arch=compute_80 largest.cu. In largest.ptx slashes stand
// for the folder in which it was compiled.
extern "C" __global__ void largest(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
  for (int step = 0; step < 64; ++step) value = fmaxf(value, x[i]);
  y[i] = value;
}
