// SPDX-License-Identifier: MIT
// A recurrence in pairs of float16, with constants that are converted where they are used.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo half_rounds.cu
#include <cuda_fp16.h>

extern "C" __global__ void half_rounds(const half2* __restrict__ x, half2* __restrict__ y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  half2 value = x[i];
#pragma unroll 8
  for (int round = 0; round < 128; ++round)
    value = __hfma2(value, __float2half2_rn(0.98f), __float2half2_rn(0.01f));
  y[i] = value;
}
