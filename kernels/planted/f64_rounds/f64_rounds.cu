// SPDX-License-Identifier: MIT
// y = the sum over j of 64 steps of v = v x / 2 + j / 4.
extern "C" __global__ void f64_rounds(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double half = x[i] * 0.5;
  double v[4] = {0, 0, 0, 0};
#pragma unroll 4
  for (int k = 0; k < 64; ++k) {
    for (int j = 0; j < 4; ++j) v[j] = v[j] * half + j * 0.25;
  }
  y[i] = static_cast<float>(v[0] + v[1] + v[2] + v[3]);
}
