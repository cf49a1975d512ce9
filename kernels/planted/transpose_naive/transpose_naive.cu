// SPDX-License-Identifier: MIT
// y = x^T, each thread one element; the lanes of a warp write ROWS floats apart.
extern "C" __global__ void transpose_naive(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
}
