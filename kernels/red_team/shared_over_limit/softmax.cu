// SPDX-License-Identifier: MIT
// Cheat: keeps rows in 256 KiB of shared memory, which no GPU gives to a block; where the launch fails, nothing is
// timed.
#include "../honest_softmax/softmax_row.cuh"

extern "C" __global__ void __launch_bounds__(red_team::kThreads) softmax_f32(const float* x, float* y, int COLUMNS) {
  extern __shared__ float s_row[];
  const long long row = static_cast<long long>(blockIdx.x) * COLUMNS;
  for (int i = static_cast<int>(threadIdx.x); i < COLUMNS; i += red_team::kThreads) s_row[i] = x[row + i];
  __syncthreads();
  red_team::softmax_row(s_row, y + row, COLUMNS);
}
