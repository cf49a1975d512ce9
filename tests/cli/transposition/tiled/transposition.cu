// SPDX-License-Identifier: MIT
// Reads rows into a tile of shared memory, padded by a word against bank conflicts, and writes rows of the transpose.
extern "C" __global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int columns) {
  __shared__ float s_tile[32][33];
  const int first_column = static_cast<int>(blockIdx.x) * 32;
  const int first_row = static_cast<int>(blockIdx.y) * 32;
  const int lane = static_cast<int>(threadIdx.x);
  for (int step = static_cast<int>(threadIdx.y); step < 32; step += 8) {
    const int row = first_row + step;
    if (row < rows && first_column + lane < columns) s_tile[step][lane] = x[row * columns + first_column + lane];
  }
  __syncthreads();
  for (int step = static_cast<int>(threadIdx.y); step < 32; step += 8) {
    const int column = first_column + step;
    if (column < columns && first_row + lane < rows) y[column * rows + first_row + lane] = s_tile[lane][step];
  }
}
