// SPDX-License-Identifier: MIT
// A convolution of 48 sums in registers, with launch bounds that leave 32 registers to a thread. The tests take the
// PTX, and need no compiler:
//   nvcc -ptx -arch=compute_90 bounded_registers.cu
extern "C" __global__ void __launch_bounds__(1024, 2)
    bounded_registers(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int n,
                      int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sums[48];
#pragma unroll
  for (int k = 0; k < 48; ++k) sums[k] = 0;
  for (int t = 0; t < taps; ++t) {
    const float v = x[(i + t) % n];
#pragma unroll
    for (int k = 0; k < 48; ++k) sums[k] = fmaf(v, w[t * 48 + k], sums[k]);
  }
#pragma unroll
  for (int k = 0; k < 48; ++k) y[(size_t)k * n + i] = sums[k];
}
