// SPDX-License-Identifier: MIT
// Exercises mbarriers, bulk and tensor copies, clusters and multicast (Hopper).
#include <cstdint>
#include <cuda.h>
#include <cuda/barrier>
__device__ __forceinline__ uint32_t s2u(const void* p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
extern "C" __global__ void tma2d(const __grid_constant__ CUtensorMap tm, const __grid_constant__ CUtensorMap tmo,
                                 float* o, const float* g) {
  __shared__ __align__(1024) float s[64][32];
  __shared__ __align__(8) uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&tm));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s2u(&bar)), "r"(1));
    asm volatile("fence.proxy.async.shared::cta;");
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s2u(&bar)), "r"((int)sizeof(s)));
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
        "[%4];" ::"r"(s2u(s)),
        "l"(&tm), "r"(blockIdx.x * 32), "r"(blockIdx.y * 64), "r"(s2u(&bar))
        : "memory");
  }
  asm volatile(
      "{ .reg .pred P1; LAB_WAIT: mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1; @P1 bra DONE; bra LAB_WAIT; "
      "DONE: }" ::"r"(s2u(&bar)),
      "r"(0));
  o[threadIdx.x] = s[threadIdx.x & 63][threadIdx.x >> 6];
  s[threadIdx.x & 63][0] *= 2;
  asm volatile("fence.proxy.async.shared::cta;");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&tmo), "r"(0),
                 "r"(0), "r"(s2u(s))
                 : "memory");
    asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&tmo),
                 "r"(0), "r"(0), "r"(s2u(s))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;");
    asm volatile("cp.async.bulk.wait_group 0;");
  }
}
extern "C" __global__ void bulk1d(const float* g, float* o, int bytes) {
  extern __shared__ __align__(128) float s[];
  __shared__ __align__(8) uint64_t bar;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(s2u(&bar)));
    asm volatile("fence.proxy.async;");
  }
  __syncthreads();
  uint64_t st;
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(s2u(s)), "l"(g),
        "r"(bytes), "r"(s2u(&bar))
        : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;" : "=l"(st) : "r"(s2u(&bar)), "r"(bytes));
  }
  uint32_t ok = 0;
  while (!ok) {
    asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p; }"
                 : "=r"(ok)
                 : "r"(s2u(&bar)), "r"(0));
  }
  o[threadIdx.x] = s[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("fence.proxy.async;");
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(o), "r"(s2u(s)), "r"(bytes)
                 : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(o), "r"(s2u(s)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;");
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(g), "r"(bytes));
  }
}
extern "C" __global__ void __cluster_dims__(2, 1, 1) mcast(const __grid_constant__ CUtensorMap tm, float* o) {
  __shared__ __align__(1024) float s[64 * 32];
  __shared__ __align__(8) uint64_t bar;
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  uint32_t remote;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s2u(&bar)), "r"(rank ^ 1));
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 2;" ::"r"(s2u(&bar)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  asm volatile("barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;");
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s2u(&bar)), "r"(8192));
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote));
    if (rank == 0)
      asm volatile(
          "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_"
          "hint [%0], [%1, {%2, %3, %4}], [%5], %6, %7;" ::"r"(s2u(s)),
          "l"(&tm), "r"(0), "r"(0), "r"(0), "r"(s2u(&bar)), "h"((uint16_t)3), "l"(0x1000000000000000ull)
          : "memory");
  }
  uint32_t ok = 0;
  while (!ok) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; selp.u32 %0,1,0,p; }"
        : "=r"(ok)
        : "r"(s2u(&bar)), "r"(0));
  }
  uint32_t rs;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(rs) : "r"(s2u(s)), "r"(rank ^ 1));
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(rs));
  o[threadIdx.x] = v;
  asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(rs), "r"(7u),
               "r"(remote));
  asm volatile("barrier.cluster.arrive.relaxed.aligned;");
  asm volatile("barrier.cluster.wait.aligned;");
  if (threadIdx.x >= 128)
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  else
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  asm volatile("griddepcontrol.wait;");
  asm volatile("griddepcontrol.launch_dependents;");
  unsigned e;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0,1,0,p; }" : "=r"(e));
  o[1] = e;
}
// libcu++ route
namespace cde = cuda::device::experimental;
extern "C" __global__ void tma_libcu(const __grid_constant__ CUtensorMap tm, float* o) {
  __shared__ __align__(128) float s[32][32];
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  if (!threadIdx.x) {
    init(&b, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token t;
  if (!threadIdx.x) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&s, &tm, 0, 0, b);
    t = cuda::device::barrier_arrive_tx(b, 1, sizeof(s));
  } else
    t = b.arrive();
  b.wait(std::move(t));
  o[threadIdx.x] = s[threadIdx.x & 31][1];
}
