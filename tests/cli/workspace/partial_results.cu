// SPDX-License-Identifier: MIT
// y = x, with eight partial results of each element on the way that go to memory and are never needed:
// nvcc -ptx -arch=compute_80 partial_results.cu
extern "C" __global__ void partial_results(const float* x, float* scratch, float* y, int n) {
  constexpr int kParts = 8;
  constexpr int kSteps = 40;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float value = x[i];
  float part = value;
#pragma unroll
  for (int each = 0; each < kParts; ++each) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) part = part * 0.999f + value;
    scratch[each * n + i] = part;
  }
  y[i] = value;
}
