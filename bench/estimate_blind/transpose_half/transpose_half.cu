// SPDX-License-Identifier: MIT
// The transpose of f16 through a tile of 64 x 64 in shared memory, two elements at a time both ways.
#include <cuda_fp16.h>

extern "C" __global__ void transpose_half(const __half* __restrict__ x, __half* __restrict__ y, int rows, int columns) {
  __shared__ __half s_tile[64][66];
  const int column = blockIdx.x * 64 + 2 * threadIdx.x;
  for (int i = threadIdx.y; i < 64; i += 8) {
    const int row = blockIdx.y * 64 + i;
    if (row < rows && column < columns)
      *reinterpret_cast<__half2*>(&s_tile[i][2 * threadIdx.x]) =
          *reinterpret_cast<const __half2*>(&x[static_cast<long long>(row) * columns + column]);
  }
  __syncthreads();
  const int out_column = blockIdx.y * 64 + 2 * threadIdx.x;
  for (int i = threadIdx.y; i < 64; i += 8) {
    const int out_row = blockIdx.x * 64 + i;
    if (out_row < columns && out_column < rows)
      *reinterpret_cast<__half2*>(&y[static_cast<long long>(out_row) * rows + out_column]) =
          __halves2half2(s_tile[2 * threadIdx.x][i], s_tile[2 * threadIdx.x + 1][i]);
  }
}
