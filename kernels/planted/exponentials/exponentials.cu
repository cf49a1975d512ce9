// SPDX-License-Identifier: MIT
// y = the sum of exp(-k x^2) over k = 1 ... 8.
extern "C" __global__ void exponentials(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float square = -1.4426950408889634f * x[i] * x[i];
  float sum = 0.0f;
#pragma unroll
  for (int k = 1; k <= 8; ++k) {
    float power;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(static_cast<float>(k) * square));
    sum += power;
  }
  y[i] = sum;
}
