// SPDX-License-Identifier: MIT
// What asynchronous.cu and mbarriers.cu write their kernels with: the instructions of TMA, wgmma, cp.async and mbarriers.
#pragma once

#include <cstdint>

#define KERNEL extern "C" __global__ void __launch_bounds__(128)
#define PAIR(kind, name)                                                                       \
  KERNEL clean_##name(unsigned* data, unsigned* fresh) { name<true>(data, fresh); }            \
  KERNEL planted_##kind##_##name(unsigned* data, unsigned* fresh) { name<false>(data, fresh); }

__device__ __forceinline__ uint32_t address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
// Wrappers are macros: every use keeps its own line.
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define BULK_STORE(to, from, bytes) \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes) : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT_READ(groups) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory")
#define BULK_WAIT(groups) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory")
#define BULK_LOAD(to, from, bytes, barrier)                                                                       \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(   \
                   address(to)), "l"(from), "r"(bytes), "r"(address(barrier))                                     \
               : "memory")
#define INIT(barrier, count) \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory")
#define INVALIDATE(barrier) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(barrier)) : "memory")
#define ARRIVE(barrier) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory")
#define EXPECT(barrier, bytes) \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory")
#define WAIT(barrier, parity)                                              \
  asm volatile(                                                            \
      "{\n.reg .pred done;\nagain:\n"                                      \
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"         \
      "@!done bra again;\n}" ::"r"(address(barrier)), "r"(parity) : "memory")
#define COPY(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory")
#define COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
#define GROUP_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define GROUP_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define GROUP_WAIT(groups) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory")
#define MULTIPLY(d, a, b)                                                                                       \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"     \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                 \
               : "l"(a), "l"(b))

// 64 x 16 halves of A (2048 bytes) and 8 x 16 halves of B (256 bytes), not swizzled.
__device__ __forceinline__ uint64_t descriptor(const void* tile) {
  return (static_cast<uint64_t>(address(tile) & 0x3ffff) >> 4) | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

#define FILL_TILES()                                             \
  for (int i = threadIdx.x; i < 512; i += 128) a[i] = data[i];   \
  if (threadIdx.x < 64) b[threadIdx.x] = data[512 + threadIdx.x]; \
  PROXY_FENCE();                                                 \
  __syncthreads()
