// SPDX-License-Identifier: MIT
// y = x / sqrt(mean(x^2) + 1e-5) w for each row of f16, one block of 256 threads a row, eight elements at a time.
#include <cuda_fp16.h>

extern "C" __global__ void rms_norm(const __half* __restrict__ x, const __half* __restrict__ w, __half* __restrict__ y,
                                    int columns) {
  __shared__ float s_sum[8];
  const long long first = static_cast<long long>(blockIdx.x) * columns;
  float sum = 0.0f;
  for (int i = 8 * threadIdx.x; i < columns; i += 8 * 256) {
    const uint4 packed = *reinterpret_cast<const uint4*>(x + first + i);
    const __half2* pairs = reinterpret_cast<const __half2*>(&packed);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 pair = __half22float2(pairs[j]);
      sum = fmaf(pair.x, pair.x, fmaf(pair.y, pair.y, sum));
    }
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  if (threadIdx.x % 32 == 0) s_sum[threadIdx.x / 32] = sum;
  __syncthreads();
  float total = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) total += s_sum[i];
  const float scale = rsqrtf(total / static_cast<float>(columns) + 1e-5f);
  for (int i = 8 * threadIdx.x; i < columns; i += 8 * 256) {
    const uint4 packed = *reinterpret_cast<const uint4*>(x + first + i);
    const uint4 weights = *reinterpret_cast<const uint4*>(w + i);
    const __half2* pairs = reinterpret_cast<const __half2*>(&packed);
    const __half2* factors = reinterpret_cast<const __half2*>(&weights);
    uint4 result;
    __half2* out = reinterpret_cast<__half2*>(&result);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float2 pair = __half22float2(pairs[j]);
      const float2 factor = __half22float2(factors[j]);
      out[j] = __floats2half2_rn(pair.x * scale * factor.x, pair.y * scale * factor.y);
    }
    *reinterpret_cast<uint4*>(y + first + i) = result;
  }
}
