// SPDX-License-Identifier: MIT
// y = the sums of the columns of x, added up in global memory. The compiler may not keep them in a register, because x
// and y may overlap. The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 sums_in_memory.cu
extern "C" __global__ void sums_in_memory(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = 0.0f;
  for (int row = 0; row < 64; ++row) y[i] += x[row * n + i];
}
