// SPDX-License-Identifier: MIT
// Broken on purpose: the steps of the reduction have no barrier between them.
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    row_sum(const float* __restrict__ x, float* __restrict__ y, int COLUMNS) {
  __shared__ float s_tile[BLOCK];
  const int i = static_cast<int>(threadIdx.x);
  const float* row = x + static_cast<long long>(blockIdx.x) * COLUMNS;
  float sum = 0;
  for (int column = i; column < COLUMNS; column += BLOCK) sum += row[column];
  s_tile[i] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (i < half) s_tile[i] += s_tile[i + half];
  }
  __syncthreads();
  if (i == 0) y[blockIdx.x] = s_tile[0];
}
