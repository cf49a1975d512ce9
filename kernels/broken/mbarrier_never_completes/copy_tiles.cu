// SPDX-License-Identifier: MIT
// Broken on purpose: the mbarrier is told of 8192 bytes, and the copy brings 4096. Its phase never completes, and all
// threads wait for ever.
#include <cstdint>

constexpr int kTile = 1024;

__device__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

extern "C" __global__ void copy_tiles(const float* x, float* y) {
  __shared__ alignas(16) float s_tile[kTile];
  __shared__ uint64_t s_full;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&s_full)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&s_full)), "r"(8 * kTile)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(s_tile)),
                 "l"(x + kTile * blockIdx.x), "r"(4 * kTile), "r"(shared_address(&s_full))
                 : "memory");
  }
  __syncthreads();
  uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred complete;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], 0;\n"
        "selp.u32 %0, 1, 0, complete;\n}\n"
        : "=r"(done)
        : "r"(shared_address(&s_full))
        : "memory");
  }
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) y[kTile * blockIdx.x + i] = s_tile[i];
}
