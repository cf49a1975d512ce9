// SPDX-License-Identifier: MIT
// C = A B by tiles of 32 x 32 in shared memory; each thread makes four elements of a column.
constexpr int kTile = 32;
constexpr int kRows = 8;

extern "C" __global__ void gemm_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c,
                                      int m, int n, int k) {
  __shared__ float s_a[kTile][kTile + 1];
  __shared__ float s_b[kTile][kTile];
  const int column = blockIdx.x * kTile + threadIdx.x;
  const int first_row = blockIdx.y * kTile;
  float sums[kTile / kRows] = {};
  for (int first = 0; first < k; first += kTile) {
    for (int i = threadIdx.y; i < kTile; i += kRows) {
      const int row = first_row + i;
      const int inner = first + threadIdx.x;
      s_a[i][threadIdx.x] = row < m && inner < k ? a[row * k + inner] : 0.0f;
      s_b[i][threadIdx.x] = first + i < k && column < n ? b[(first + i) * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) {
#pragma unroll
      for (int r = 0; r < kTile / kRows; ++r)
        sums[r] = fmaf(s_a[threadIdx.y + r * kRows][i], s_b[i][threadIdx.x], sums[r]);
    }
    __syncthreads();
  }
  for (int r = 0; r < kTile / kRows; ++r) {
    const int row = first_row + threadIdx.y + r * kRows;
    if (row < m && column < n) c[row * n + column] = sums[r];
  }
}
