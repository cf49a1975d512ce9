// SPDX-License-Identifier: MIT
// Exercises cp.async, ldmatrix and mma.sync by inline PTX, in a double-buffered product and one by one.
#include <cstdint>
#include <cuda_fp16.h>
#define BM 128
#define BN 128
#define BK 32
__device__ __forceinline__ uint32_t s2u(const void* p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void cpa16(uint32_t d, const void* s, bool p) {
  int sz = p ? 16 : 0;
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(d), "l"(s), "r"(sz));
}
__device__ __forceinline__ void cpa4(uint32_t d, const void* s) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(d), "l"(s));
}
#define COMMIT asm volatile("cp.async.commit_group;\n" ::)
#define WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(a));
}
__device__ __forceinline__ void ldsm2t(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\n" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ __forceinline__ void mma16816(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
extern "C" __global__ void __launch_bounds__(256)
    hgemm(const half* __restrict__ A, const half* __restrict__ B, half* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(128) half sA[2][BM][BK];
  __shared__ __align__(128) half sB[2][BK][BN];
  int tid = threadIdx.x, lane = tid & 31, warp = tid >> 5, wm = warp & 3, wn = warp >> 2;
  float acc[2][8][4] = {};
  int bm = blockIdx.y * BM, bn = blockIdx.x * BN;
  auto load = [&](int st, int k0) {
    for (int i = tid; i < BM * BK / 8; i += 256) {
      int r = i / (BK / 8), c = (i % (BK / 8));
      cpa16(s2u(&sA[st][r][(c ^ ((r >> 1) & 3)) * 8]), A + (size_t)(bm + r) * K + k0 + c * 8, bm + r < M);
    }
    for (int i = tid; i < BK * BN / 8; i += 256) {
      int r = i / (BN / 8), c = (i % (BN / 8));
      cpa16(s2u(&sB[st][r][(c ^ (r & 7)) * 8]), B + (size_t)(k0 + r) * N + bn + c * 8, true);
    }
    COMMIT;
  };
  load(0, 0);
  int st = 0;
  for (int k0 = 0; k0 < K; k0 += BK) {
    if (k0 + BK < K)
      load(st ^ 1, k0 + BK);
    else
      COMMIT;
    WAIT(1);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < BK; kk += 16) {
      uint32_t a[2][4], b[8][2];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        int r = wm * 32 + i * 16 + (lane & 15), c = (kk / 8) + (lane >> 4);
        ldsm4(a[i], s2u(&sA[st][r][(c ^ ((r >> 1) & 3)) * 8]));
      }
#pragma unroll
      for (int j = 0; j < 8; j++) {
        int r = kk + (lane & 15), c = wn * 8 + j;
        ldsm2t(b[j], s2u(&sB[st][r][(c ^ (r & 7)) * 8]));
      }
#pragma unroll
      for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) mma16816(acc[i][j], a[i], b[j]);
    }
    __syncthreads();
    st ^= 1;
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 8; j++) {
      int r = bm + wm * 32 + i * 16 + (lane >> 2), c = bn + wn * 64 + j * 8 + (lane & 3) * 2;
      *(half2*)&C[(size_t)r * N + c] = __floats2half2_rn(acc[i][j][0], acc[i][j][1]);
      *(half2*)&C[(size_t)(r + 8) * N + c] = __floats2half2_rn(acc[i][j][2], acc[i][j][3]);
    }
}
extern "C" __global__ void mma_others(const uint32_t* p, float* o, int* oi, double* od) {
  uint32_t a0 = p[0], a1 = p[1], a2 = p[2], a3 = p[3], b0 = p[4], b1 = p[5];
  float c[4] = {};
  int d[4] = {};
  uint32_t h[2] = {};
  double e[2] = {od[0], od[1]};
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(b0));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
               : "+r"(h[0]), "+r"(h[1])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32.satfinite {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+d"(e[0]), "+d"(e[1])
               : "d"(od[2]), "d"(od[3]));
  asm volatile(
      "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, "
      "{%0,%1,%2,%3}, %12, 0x0;"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "r"(a0), "r"(a1), "r"(p[8]));
#if __CUDA_ARCH__ >= 890
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#endif
#if __CUDA_ARCH__ >= 900
  __shared__ half sm[512];
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(s2u(sm + (threadIdx.x & 31) * 8)),
               "r"(h[0]), "r"(h[1]), "r"(a0), "r"(a1));
  oi[9] = sm[threadIdx.x] > half(0);
#endif
  uint32_t t;
  asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(a0));
  oi[8] = t;
  o[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
  oi[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + h[0] + h[1];
  od[5] = e[0] + e[1];
}
