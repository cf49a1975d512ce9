// SPDX-License-Identifier: MIT
// y = 3 x, after zeroing y 24 times; volatile keeps the compiler from taking them away.
constexpr int kElements = 8;  // of a thread

extern "C" __global__ void silent_rounds(const float* __restrict__ x, volatile float* y, int n) {
  const int first = blockIdx.x * blockDim.x * kElements + threadIdx.x;
  for (int i = first; i < first + kElements * static_cast<int>(blockDim.x) && i < n; i += blockDim.x) {
    for (int pass = 0; pass < 24; ++pass) y[i] = 0.0f;
    y[i] = 3.0f * x[i];
  }
}
