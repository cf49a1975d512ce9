// SPDX-License-Identifier: MIT
// Exercises scalar and vector loads and stores, cache operators, volatile accesses and the integer bit intrinsics.
#include <cstdint>
extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void vadd_restrict(const float* __restrict__ a, const float* __restrict__ b,
                                         float* __restrict__ c, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) c[i] = fmaf(a[i], 2.f, b[i]);
}
extern "C" __global__ void vadd4(const float4* __restrict__ a, const float4* __restrict__ b, float4* __restrict__ c,
                                 size_t n) {
  size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 x = a[i], y = b[i];
    c[i] = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
  }
}
extern "C" __global__ void cachehints(const float* a, float* c, const uint8_t* b8, const int16_t* b16, double* d,
                                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = __ldg(a + i) + __ldcs(a + i + 1) + __ldcg(a + i + 2) + __ldca(a + i + 3) + __ldcv(a + i + 4) +
              __ldlu(a + i + 5);
    __stcs(c + i, v);
    __stcg(c + i + 1, v);
    __stwt(c + i + 2, v);
    __stwb(c + i + 3, v);
    d[i] += (double)b8[i] * (double)b16[i];
    volatile float* vc = c;
    vc[i] = vc[i] + 1.f;
  }
}
// integer / bit tricks
extern "C" __global__ void bits(const unsigned* a, unsigned long long* o, int n) {
  int i = threadIdx.x;
  unsigned x = a[i];
  unsigned y = a[i + 1];
  o[0 + i] = __popc(x);
  o[1 + i] = __clz(x);
  o[2 + i] = __brev(x);
  o[3 + i] = __ffs(x);
  o[4 + i] = __byte_perm(x, y, 0x3210 ^ i);
  o[5 + i] = __funnelshift_l(x, y, i);
  o[6 + i] = __funnelshift_r(x, y, i);
  o[7 + i] = __funnelshift_lc(x, y, i);
  o[8 + i] = __umulhi(x, y);
  o[9 + i] = __mulhi((int)x, (int)y);
  o[10 + i] = __umul64hi(o[0], o[1]);
  o[11 + i] = __sad((int)x, (int)y, y);
  o[12 + i] = __usad(x, y, y);
  o[13 + i] = __mul24((int)x, (int)y);
  o[14 + i] = __umul24(x, y);
  o[15 + i] = __popcll(o[3]);
  o[16 + i] = __clzll(o[3]);
  o[17 + i] = __brevll(o[3]);
  o[18 + i] = __ffsll(o[3]);
  o[19 + i] = __dp4a((int)x, (int)y, 5);
  o[20 + i] = __dp4a(x, y, 5u);
  o[21 + i] = __dp2a_lo((int)x, (int)y, 5);
  o[22 + i] = __dp2a_hi((int)x, (int)y, 5);
  o[23 + i] = min((int)x, (int)y);
  o[24 + i] = max(x, y);
  o[25 + i] = abs((int)x);
  o[26 + i] = __rhadd((int)x, (int)y);
  o[27 + i] = __uhadd(x, y);
  o[28 + i] = (x << (i & 31)) | (y >> (32 - (i & 31)));
  o[29 + i] = (x & y) ^ (x | ~y);
  o[30 + i] = x / 7u;
  o[31 + i] = (int)x % 13;
  o[32 + i] = ((int)x) >> 3;
  o[33 + i] = __vadd4(x, y);
  o[34 + i] = __vmaxs2(x, y);
  o[35 + i] = __vabsdiffu4(x, y);
  o[36 + i] = __vcmpeq4(x, y);
  o[37 + i] = (x >> 4) & 0xff;
  o[38 + i] = x < y ? (x > y + 1 ? 3 : 4) : n;
  o[39 + i] = __viaddmax_s32(x, y, 3);
  o[40 + i] = __vimax3_s32(x, y, n);
  o[41 + i] = __vimin_s32_relu(x, y);
}
