// SPDX-License-Identifier: MIT
// Exercises a row softmax, the single-precision math library and conversions between all scalar types.
#include <cuda_runtime.h>
#include <math_constants.h>
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
  extern __shared__ float s[];
  const float* r = x + (size_t)blockIdx.x * cols;
  float* o = y + (size_t)blockIdx.x * cols;
  float m = -CUDART_INF_F;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) m = fmaxf(m, r[i]);
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = m;
  __syncthreads();
  m = s[0];
  for (int i = 1; i < blockDim.x / 32; i++) m = fmaxf(m, s[i]);
  __syncthreads();
  float z = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    float e = __expf(r[i] - m);
    o[i] = e;
    z += e;
  }
  for (int d = 16; d; d >>= 1) z += __shfl_xor_sync(~0u, z, d);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = z;
  __syncthreads();
  z = 0;
  for (int i = 0; i < blockDim.x / 32; i++) z += s[i];
  float inv = 1.f / z;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) o[i] *= inv;
}
extern "C" __global__ void fmath(const float* a, float* o) {
  int i = threadIdx.x;
  float x = a[i], y = a[i + 1];
  o[i] = expf(x);
  o[i + 1] = logf(x);
  o[i + 2] = sinf(x);
  o[i + 3] = cosf(x);
  o[i + 4] = tanhf(x);
  o[i + 5] = sqrtf(x);
  o[i + 6] = rsqrtf(x);
  o[i + 7] = x / y;
  o[i + 8] = powf(x, y);
  o[i + 9] = __sinf(x);
  o[i + 10] = __cosf(x);
  o[i + 11] = __logf(x);
  o[i + 12] = __exp10f(x);
  o[i + 13] = __fdividef(x, y);
  o[i + 14] = __powf(x, y);
  o[i + 15] = __frcp_rn(x);
  o[i + 16] = __fsqrt_rz(x);
  o[i + 17] = __fadd_rz(x, y);
  o[i + 18] = __fmul_ru(x, y);
  o[i + 19] = __fmaf_rd(x, y, x);
  o[i + 20] = __saturatef(x);
  o[i + 21] = erff(x);
  o[i + 22] = floorf(x) + ceilf(x) + truncf(x) + rintf(x) + roundf(x);
  o[i + 23] = fabsf(x);
  o[i + 24] = copysignf(x, y);
  o[i + 25] = fmodf(x, y);
  o[i + 26] = isnan(x) || isinf(y);
  o[i + 27] = __fdiv_rz(x, y);
  o[i + 28] = exp2f(x);
  o[i + 29] = log2f(x);
  o[i + 30] = cbrtf(x);
  o[i + 31] = atan2f(x, y);
  o[i + 32] = x * x + y;
  o[i + 33] = hypotf(x, y);
  o[i + 34] = __tanf(x);
  o[i + 35] = fminf(x, y);
  o[i + 36] = lgammaf(x);
  o[i + 37] = normcdff(x);
  o[i + 38] = fdimf(x, y);
  int e;
  o[i + 39] = frexpf(x, &e) + e;
  o[i + 40] = ldexpf(x, e);
  o[i + 41] = rcbrtf(x);
  o[i + 42] = __frsqrt_rn(x);
  o[i + 43] = sinpif(x);
  o[i + 44] = log1pf(x) + expm1f(x);
}
extern "C" __global__ void conv(const float* a, const double* d, int* o, unsigned* u, long long* l,
                                unsigned long long* ul, float* f, double* g) {
  int i = threadIdx.x;
  float x = a[i];
  double y = d[i];
  o[i] = (int)x;
  u[i] = (unsigned)x;
  l[i] = (long long)x;
  ul[i] = (unsigned long long)y;
  f[i] = (float)y;
  g[i] = (double)x;
  o[i + 1] = __float2int_rn(x);
  o[i + 2] = __float2int_ru(x);
  o[i + 3] = __float2int_rd(x);
  o[i + 4] = __double2int_rn(y);
  f[i + 1] = (float)o[i + 7];
  f[i + 2] = (float)u[i + 7];
  f[i + 3] = (float)l[i + 7];
  f[i + 4] = (float)ul[i + 7];
  g[i + 1] = (double)o[i + 7];
  g[i + 2] = (double)l[i + 7];
  f[i + 5] = __double2float_rz(y);
  f[i + 6] = __int2float_rz(o[i + 8]);
  f[i + 7] = __int_as_float(o[i + 9]);
  l[i + 2] = __double_as_longlong(y);
  f[i + 8] = __double2hiint(y);
  f[i + 9] = __double2loint(y);
  g[i + 7] = __hiloint2double(o[1], o[2]);
  signed char c = (signed char)x;
  short s = (short)x;
  unsigned char uc = (unsigned char)x;
  o[i + 12] = c + s + uc;
  ((signed char*)u)[i] = (signed char)o[i];
  f[i + 11] = (float)((signed char*)u)[i + 99];
  bool b = x > 1.f;
  ((bool*)o)[i] = b;
  l[i + 9] = (long long)o[i + 70] * (long long)o[i + 71] + l[i + 8];
  ul[i + 9] = (unsigned long long)u[i + 70] * u[i + 71];
}
