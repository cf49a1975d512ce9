// SPDX-License-Identifier: MIT
// y = x^T through a tile in shared memory; each column of the tile lies in one bank.
constexpr int kTile = 32;
constexpr int kRows = 8;  // of a tile that the block's threads cover at once

extern "C" __global__ void transpose_conflicts(const float* __restrict__ x, float* __restrict__ y, int rows,
                                               int columns) {
  __shared__ float s_tile[kTile][kTile + 0];
  const int first_row = blockIdx.y * kTile;
  const int first_column = blockIdx.x * kTile;
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    if (first_row + i < rows && first_column + threadIdx.x < columns)
      s_tile[i][threadIdx.x] = x[(first_row + i) * columns + first_column + threadIdx.x];
  }
  __syncthreads();
  for (int i = threadIdx.y; i < kTile; i += kRows) {
    if (first_column + i < columns && first_row + threadIdx.x < rows)
      y[(first_column + i) * rows + first_row + threadIdx.x] = s_tile[threadIdx.x][i];
  }
}
