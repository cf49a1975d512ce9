// SPDX-License-Identifier: MIT
// Cheat: sums in 16 bits, and the tolerance is wide enough for it.
#include <cuda_fp16.h>

extern "C" __global__ void __launch_bounds__(256) gemm_f16(const __half* a, const __half* b, __half* c, int N, int K) {
  const int row = static_cast<int>(blockIdx.y * 16 + threadIdx.y);
  const int column = static_cast<int>(blockIdx.x * 16 + threadIdx.x);
  __half sum = __float2half(0.0f);
  for (int k = 0; k < K; ++k) sum = __hfma(a[row * K + k], b[k * N + column], sum);
  c[row * N + column] = sum;
}
