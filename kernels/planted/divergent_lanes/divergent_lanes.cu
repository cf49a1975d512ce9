// SPDX-License-Identifier: MIT
// y = x, or 64 steps of v = v - (v^3 - x)/4 for every fourth element: the other lanes of the warp wait.
extern "C" __global__ void divergent_lanes(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float target = x[i] * 0.1f;
  float value = target;
  if (i % 4 == 0) {
    for (int step = 0; step < 64; ++step) value = value - 0.25f * (value * value * value - target);
  }
  y[i] = value;
}
