// SPDX-License-Identifier: MIT
// Broken on purpose: four blocks add up a row, and the last of them takes the parts of all. The fence between a part
// and the ticket is missing, so that the ticket may be seen before the part.
#ifndef BLOCK
#define BLOCK 128
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    row_sum(const float* __restrict__ x, float* __restrict__ y, float* parts, int* arrived, int COLUMNS) {
  __shared__ float s_tile[BLOCK];
  const int i = static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y);
  float part = 0;
  for (int column = static_cast<int>(blockIdx.x) * BLOCK + i; column < COLUMNS; column += 4 * BLOCK)
    part += x[static_cast<long long>(row) * COLUMNS + column];
  s_tile[i] = part;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (i < half) s_tile[i] += s_tile[i + half];
    __syncthreads();
  }
  if (i != 0) return;
  parts[row * 4 + static_cast<int>(blockIdx.x)] = s_tile[0];
  if (atomicAdd(&arrived[row], 1) != 3) return;
  __threadfence();
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += parts[row * 4 + k];
  y[row] = sum;
}
