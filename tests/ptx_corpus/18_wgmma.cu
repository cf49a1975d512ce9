// SPDX-License-Identifier: MIT
// Exercises wgmma with operands from registers and from descriptors (Hopper).
#include <cstdint>
#include <cuda_fp16.h>
__device__ __forceinline__ uint32_t s2u(const void* p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ uint64_t desc(const void* p, int lbo, int sbo, int sw) {
  uint64_t d = 0;
  d |= (uint64_t)((s2u(p) & 0x3FFFF) >> 4);
  d |= (uint64_t)((lbo & 0x3FFFF) >> 4) << 16;
  d |= (uint64_t)((sbo & 0x3FFFF) >> 4) << 32;
  d |= (uint64_t)sw << 62;
  return d;
}
#define FENCE asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
extern "C" __global__ void __launch_bounds__(128) wg(const half* g, float* o) {
  __shared__ __align__(1024) half sA[64 * 64];
  __shared__ __align__(1024) half sB[32 * 64];
  for (int i = threadIdx.x; i < 64 * 64; i += 128) sA[i] = g[i];
  for (int i = threadIdx.x; i < 32 * 64; i += 128) sB[i] = g[i];
  __syncthreads();
  asm volatile("fence.proxy.async;");
  float d[16] = {};
  FENCE;
  for (int k = 0; k < 4; k++) {
    uint64_t da = desc(sA + k * 16, 16, 1024, 1), db = desc(sB + k * 16, 16, 1024, 1);
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %18, 0; wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 "
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, %16, %17, p, 1, 1, 0, 0; }"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
        : "l"(da), "l"(db), "r"(1));
  }
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 16; i++) o[threadIdx.x * 16 + i] = d[i];
}
extern "C" __global__ void __launch_bounds__(128) wg_more(const uint32_t* g, float* o) {
  __shared__ __align__(1024) half sB[4096];
  float d[4] = {};
  uint32_t h[2] = {};
  int e[4] = {};
  uint64_t db = desc(sB, 16, 1024, 1);
  uint32_t a0 = g[0], a1 = g[1], a2 = g[2], a3 = g[3];
  FENCE;
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "l"(db));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {%0,%1}, %2, %2, 1, 1, 1, 0, 0;"
               : "+r"(h[0]), "+r"(h[1])
               : "l"(db));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%0,%1,%2,%3}, %4, %4, 1, 1, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(db));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {%0,%1,%2,%3}, %4, %4, 1, 1, 1;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(db));
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {%0,%1,%2,%3}, %4, %4, 1;"
               : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
               : "l"(db));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 1;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  o[threadIdx.x] = d[0] + d[1] + d[2] + d[3] + h[0] + h[1] + e[0] + e[1] + e[2] + e[3];
}
