// SPDX-License-Identifier: MIT
// Broken on purpose: only as many places of the tile are filled as the row has columns, and all of them are added up.
// What lies in the others is what the block before left there: mostly zeros, until another kernel ran first.
#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef BROKEN
#define BROKEN 1
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    row_sum(const float* __restrict__ x, float* __restrict__ y, int COLUMNS) {
  __shared__ float s_tile[BLOCK];
  const int i = static_cast<int>(threadIdx.x);
  const float* row = x + static_cast<long long>(blockIdx.x) * COLUMNS;
#if !BROKEN
  s_tile[i] = 0;
#endif
  for (int column = i; column < COLUMNS; column += BLOCK) {
    s_tile[i] = column < BLOCK ? row[column] : s_tile[i] + row[column];
  }
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (i < half) s_tile[i] += s_tile[i + half];
    __syncthreads();
  }
  if (i == 0) y[blockIdx.x] = s_tile[0];
}
