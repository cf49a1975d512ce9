// SPDX-License-Identifier: MIT
// A block for each row, and one row that is longer than all others. The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 one_long_row.cu
extern "C" __global__ void one_long_row(const float* x, float* y, int rows) {
  const int row = blockIdx.x;
  const int steps = row + 1 < rows ? 64 : 64 * 256;
  float value = x[row];
  for (int step = 0; step < steps; ++step) value = value * 0.5f + 1.0f;
  if (threadIdx.x == 0) y[row] = value;
}
