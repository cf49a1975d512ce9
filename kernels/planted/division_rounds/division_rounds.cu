// SPDX-License-Identifier: MIT
// y = the mean of x at 32 places, each found by 64-bit divisions by numbers that only the launch knows.
extern "C" __global__ void division_rounds(const float* __restrict__ x, float* __restrict__ y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long count = n;
  const long long blocks = gridDim.x;
  float sum = 0.0f;
  for (int k = 0; k < 32; ++k) {
    const long long place = (static_cast<long long>(i) * 257 + k * 31) / blocks % count;
    sum += x[place];
  }
  y[i] = sum / 32.0f;
}
