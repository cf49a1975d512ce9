// SPDX-License-Identifier: MIT
// Cheat: leaves its results in the input, where the next call finds most of the work done.
#include "../honest_softmax/softmax_row.cuh"

extern "C" __global__ void __launch_bounds__(red_team::kThreads) softmax_f32(float* x, float* y, int COLUMNS) {
  const long long row = static_cast<long long>(blockIdx.x) * COLUMNS;
  red_team::softmax_row(x + row, y + row, COLUMNS);
  for (int i = static_cast<int>(threadIdx.x); i < COLUMNS; i += red_team::kThreads) x[row + i] = y[row + i];
}
