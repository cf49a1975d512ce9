// SPDX-License-Identifier: MIT
// Broken on purpose: softmax that keeps its exponentials in the input. The output is right; the input is gone.
extern "C" __global__ void __launch_bounds__(32) softmax_f32(float* x, float* y, int COLUMNS) {
  float* g_input = x + static_cast<long long>(blockIdx.x) * COLUMNS;
  float* g_output = y + static_cast<long long>(blockIdx.x) * COLUMNS;
  const int lane = static_cast<int>(threadIdx.x);

  float maximum = -INFINITY;
  for (int i = lane; i < COLUMNS; i += 32) maximum = fmaxf(maximum, g_input[i]);
  for (int distance = 16; distance > 0; distance /= 2)
    maximum = fmaxf(maximum, __shfl_xor_sync(0xffffffffu, maximum, distance));

  float sum = 0.0f;
  for (int i = lane; i < COLUMNS; i += 32) {
    g_input[i] = expf(g_input[i] - maximum);
    sum += g_input[i];
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);

  for (int i = lane; i < COLUMNS; i += 32) g_output[i] = g_input[i] / sum;
}
