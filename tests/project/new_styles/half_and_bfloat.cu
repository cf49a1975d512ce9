// SPDX-License-Identifier: MIT
#include <cuda_bf16.h>
#include <cuda_fp16.h>
// half and bf16, vectorised
extern "C" __global__ void rmsnorm(const __half* __restrict__ x, const __half* __restrict__ gamma,
                                   __half* __restrict__ y, int hidden, float eps) {
  const __half* row = x + (size_t)blockIdx.x * hidden;
  float ss = 0;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
    float v = __half2float(row[i]);
    ss += v * v;
  }
  __shared__ float total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, ss);
  __syncthreads();
  float r = rsqrtf(total / hidden + eps);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x)
    y[(size_t)blockIdx.x * hidden + i] = __float2half(__half2float(row[i]) * r * __half2float(gamma[i]));
}
extern "C" __global__ void silu_mul(const __nv_bfloat162* gate, const __nv_bfloat162* up, __nv_bfloat162* out,
                                    int64_t n2) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n2) return;
  float2 g = __bfloat1622float2(gate[i]), u = __bfloat1622float2(up[i]);
  out[i] = __floats2bfloat162_rn(g.x / (1 + __expf(-g.x)) * u.x, g.y / (1 + __expf(-g.y)) * u.y);
}
