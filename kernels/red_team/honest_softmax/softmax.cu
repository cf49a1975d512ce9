// SPDX-License-Identifier: MIT
// The honest twin of the cheats on softmax: must pass every guard.
#include "softmax_row.cuh"

extern "C" __global__ void __launch_bounds__(red_team::kThreads) softmax_f32(const float* x, float* y, int COLUMNS) {
  const long long row = static_cast<long long>(blockIdx.x) * COLUMNS;
  red_team::softmax_row(x + row, y + row, COLUMNS);
}
