// SPDX-License-Identifier: MIT
// Broken on purpose: a warp keeps its row in shared memory, finds the mean by shuffles, and adds up the distances from
// it, each lane a piece of the row. All lanes have come to the shuffles by then, but a shuffle orders no memory.
#ifndef BROKEN
#define BROKEN 1
#endif

extern "C" __global__ void __launch_bounds__(32)
    row_sum(const float* __restrict__ x, float* __restrict__ y, int COLUMNS) {
  __shared__ float s_row[1024];
  const int lane = static_cast<int>(threadIdx.x);
  const float* row = x + static_cast<long long>(blockIdx.x) * COLUMNS;
  float sum = 0;
  for (int column = lane; column < COLUMNS; column += 32) {
    s_row[column] = row[column];
    sum += row[column];
  }
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
#if !BROKEN
  __syncwarp();
#endif
  const float mean = sum / static_cast<float>(COLUMNS);
  const int piece = (COLUMNS + 31) / 32;
  float rest = 0;
  for (int column = lane * piece; column < COLUMNS && column < (lane + 1) * piece; ++column) {
    rest += s_row[column] - mean;
  }
  for (int offset = 16; offset > 0; offset /= 2) rest += __shfl_xor_sync(0xffffffffu, rest, offset);
  if (lane == 0) y[blockIdx.x] = mean * static_cast<float>(COLUMNS) + rest;
}
