// SPDX-License-Identifier: MIT
// Rotary position embedding of f16: the pair (i, i + 64) of each head of 128 turns by the angle of its position, whose
// cosines and sines are given. A thread for each pair.
#include <cuda_fp16.h>

extern "C" __global__ void rotary(const __half* __restrict__ x, const float* __restrict__ cosine,
                                  const float* __restrict__ sine, __half* __restrict__ y, int heads, int tokens) {
  const int pair = threadIdx.x;
  const int head = blockIdx.y * 4 + threadIdx.y;
  const int token = blockIdx.x;
  if (head >= heads) return;
  const long long at = (static_cast<long long>(token) * heads + head) * 128 + pair;
  const float a = __half2float(x[at]);
  const float b = __half2float(x[at + 64]);
  const float c = cosine[token * 64 + pair];
  const float s = sine[token * 64 + pair];
  y[at] = __float2half_rn(a * c - b * s);
  y[at + 64] = __float2half_rn(b * c + a * s);
}
