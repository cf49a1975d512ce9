// SPDX-License-Identifier: MIT
// Exercises bf16, f16 and fp8 arithmetic and conversions, in a layer norm and one by one.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
extern "C" __global__ void layernorm(const __nv_bfloat16* __restrict__ x, const __nv_bfloat16* __restrict__ g,
                                     const __nv_bfloat16* __restrict__ b, __nv_bfloat16* __restrict__ y, int d,
                                     float eps) {
  const __nv_bfloat162* r = (const __nv_bfloat162*)(x + (size_t)blockIdx.x * d);
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < d / 2; i += blockDim.x) {
    float2 v = __bfloat1622float2(r[i]);
    s += v.x + v.y;
    q += v.x * v.x + v.y * v.y;
  }
  __shared__ float ss[32], sq[32];
  for (int o = 16; o; o >>= 1) {
    s += __shfl_xor_sync(~0u, s, o);
    q += __shfl_xor_sync(~0u, q, o);
  }
  if ((threadIdx.x & 31) == 0) {
    ss[threadIdx.x / 32] = s;
    sq[threadIdx.x / 32] = q;
  }
  __syncthreads();
  s = q = 0;
  for (int i = 0; i < blockDim.x / 32; i++) {
    s += ss[i];
    q += sq[i];
  }
  float mu = s / d, rs = rsqrtf(q / d - mu * mu + eps);
  for (int i = threadIdx.x; i < d / 2; i += blockDim.x) {
    float2 v = __bfloat1622float2(r[i]), G = __bfloat1622float2(((const __nv_bfloat162*)g)[i]),
           B = __bfloat1622float2(((const __nv_bfloat162*)b)[i]);
    ((__nv_bfloat162*)(y + (size_t)blockIdx.x * d))[i] =
        __floats2bfloat162_rn((v.x - mu) * rs * G.x + B.x, (v.y - mu) * rs * G.y + B.y);
  }
}
extern "C" __global__ void halfmath(const half2* a, half2* o, half* h, int* oi) {
  int i = threadIdx.x;
  half2 x = a[i], y = a[i + 1];
  o[i] = __hadd2(x, y);
  o[i + 1] = __hmul2(x, y);
  o[i + 2] = __hfma2(x, y, x);
  o[i + 3] = __hsub2(x, y);
  o[i + 4] = h2exp(x);
  o[i + 5] = h2rcp(x);
  o[i + 6] = __hmax2(x, y);
  o[i + 7] = __hmin2(x, y);
  o[i + 8] = __hgt2(x, y);
  o[i + 9] = __habs2(x);
  o[i + 10] = __hneg2(x);
  o[i + 11] = h2sqrt(x);
  o[i + 12] = h2log(x);
  o[i + 13] = h2tanh_approx(x);
  o[i + 14] = __h2div(x, y);
  o[i + 15] = __hfma2_relu(x, y, x);
  o[i + 16] = __hadd2_sat(x, y);
  o[i + 17] = __hmax2_nan(x, y);
  h[i] = __low2half(x) + __high2half(y);
  h[i + 1] = hexp2(h[3]);
  h[i + 2] = hsin(h[4]);
  h[i + 5] = __int2half_rn(oi[i]);
  oi[i + 1] = __half2int_rz(h[7]);
  h[i + 9] = __float2half(1.5f * oi[i + 4]);
  oi[i + 6] = __hlt(h[1], h[2]);
  oi[i + 7] = __hisnan(h[2]);
  h[i + 10] = htrunc(h[1]);
  h[i + 11] = __ushort_as_half(oi[4]);
  h[i + 13] = hrsqrt(h[9]);
  h[i + 15] = __half(double(oi[8]));
}
extern "C" __global__ void bfmath(const __nv_bfloat162* a, __nv_bfloat162* o, __nv_bfloat16* h, int* oi) {
  int i = threadIdx.x;
  auto x = a[i], y = a[i + 1];
  o[i] = __hadd2(x, y);
  o[i + 1] = __hmul2(x, y);
  o[i + 2] = __hfma2(x, y, x);
  o[i + 3] = __hsub2(x, y);
  o[i + 4] = h2exp(x);
  o[i + 5] = __hmax2(x, y);
  o[i + 6] = __habs2(x);
  o[i + 7] = __hneg2(x);
  o[i + 8] = __hfma2_relu(x, y, y);
  oi[i] = __hgt(h[1], h[2]);
  h[i + 3] = h[1] / h[2];
  h[i + 4] = __float2bfloat16_rz(oi[5] * 0.1f);
  h[i + 5] = hrsqrt(h[9]);
  o[i + 9] = h2tanh_approx(x);
  o[i + 10] = __hmin2_nan(x, y);
  h[i + 8] = __int2bfloat16_rn(oi[3]);
  h[i + 20] = __double2bfloat16((double)oi[7]);
}
extern "C" __global__ void fp8(const __nv_fp8x4_e4m3* a, float4* o, __nv_fp8x2_e5m2* b, __nv_fp8_e4m3* c,
                               const float* f) {
  int i = threadIdx.x;
  o[i] = (float4)a[i];
  b[i] = __nv_fp8x2_e5m2(make_float2(f[i], f[i + 1]));
  c[i] = __nv_fp8_e4m3(f[i]);
  c[i + 1] = __nv_fp8_e4m3(__float2half(f[i]));
  half2 h = __nv_cvt_fp8x2_to_halfraw2(((__nv_fp8x2_storage_t*)b)[i + 9], __NV_E5M2);
  o[i + 1].x = __low2float(h);
}
