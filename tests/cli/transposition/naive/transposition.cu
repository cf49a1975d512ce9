// SPDX-License-Identifier: MIT
// Reads rows, writes columns: the 32 words that a warp stores lie in 32 sectors.
extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  const int column = static_cast<int>(blockIdx.x) * 32 + static_cast<int>(threadIdx.x);
  for (int step = static_cast<int>(threadIdx.y); step < 32; step += 8) {
    const int row = static_cast<int>(blockIdx.y) * 32 + step;
    if (row < rows && column < columns) y[column * rows + row] = x[row * columns + column];
  }
}
