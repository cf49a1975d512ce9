// SPDX-License-Identifier: MIT
// Cheat: right for ten calls, then zeros.
#include "../honest_softmax/softmax_row.cuh"

namespace {
constexpr unsigned kHonestCalls = 10;
constexpr int kMostRows = 65536;
__device__ unsigned g_calls[kMostRows];
}  // namespace

extern "C" __global__ void __launch_bounds__(red_team::kThreads) softmax_f32(const float* x, float* y, int COLUMNS) {
  const long long row = static_cast<long long>(blockIdx.x) * COLUMNS;
  const unsigned call = g_calls[blockIdx.x % kMostRows];
  if (call < kHonestCalls) {
    red_team::softmax_row(x + row, y + row, COLUMNS);
  } else {
    for (int i = static_cast<int>(threadIdx.x); i < COLUMNS; i += red_team::kThreads) y[row + i] = 0.0f;
  }
  __syncthreads();
  if (threadIdx.x == 0) g_calls[blockIdx.x % kMostRows] = call + 1;
}
