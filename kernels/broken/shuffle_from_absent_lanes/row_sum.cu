// SPDX-License-Identifier: MIT
// Broken on purpose: the block has 16 threads, and the reduction reads 32 lanes. What a lane that is not there gives is
// undefined: mostly zero, and so the sum is mostly right.
#ifndef BROKEN
#define BROKEN 1
#endif

constexpr int kThreads = 16;

extern "C" __global__ void __launch_bounds__(kThreads)
    row_sum(const float* __restrict__ x, float* __restrict__ y, int COLUMNS) {
  const int lane = static_cast<int>(threadIdx.x);
  const float* row = x + static_cast<long long>(blockIdx.x) * COLUMNS;
  float sum = 0;
  for (int column = lane; column < COLUMNS; column += kThreads) sum += row[column];
#if BROKEN
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
#else
  for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffu, sum, offset, kThreads);
#endif
  if (lane == 0) y[blockIdx.x] = sum;
}
