// SPDX-License-Identifier: MIT
// Broken on purpose: the block meets at a barrier, and nobody waits for the mbarrier that counts the bytes of the copy.
// What is read is what lay in shared memory before, unless the copy happens to be fast.
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
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&s_full)), "r"(4 * kTile)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(s_tile)),
                 "l"(x + kTile * blockIdx.x), "r"(4 * kTile), "r"(shared_address(&s_full))
                 : "memory");
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kTile; i += blockDim.x) y[kTile * blockIdx.x + i] = s_tile[i];
}
