// SPDX-License-Identifier: MIT
// Broken on purpose: of the eight weights only those of the columns that exist are set, and all are used.
extern "C" __global__ void weighted_sum(const float* __restrict__ x, float* __restrict__ y, int ROWS, int COLUMNS) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= ROWS) return;
  float weights[8];
  for (int column = 0; column < COLUMNS; ++column) weights[column & 7] = x[row * COLUMNS + column];
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 8; ++i) sum += weights[i];
  y[row] = sum;
}
