// SPDX-License-Identifier: MIT
// Broken on purpose (with BROKEN=1): tiles leave through one buffer, and the next one is written while TMA may still
// read the last.
#include <cstdint>

constexpr int kTile = 128;
constexpr int kTiles = 4;  // of a block

__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

extern "C" __global__ void copy_tiles(const float* x, float* y) {
  __shared__ alignas(128) float s_tile[kTile];
  for (int tile = 0; tile < kTiles; ++tile) {
    const int first = (static_cast<int>(blockIdx.x) * kTiles + tile) * kTile;
    s_tile[threadIdx.x] = x[first + threadIdx.x];  // overwrites
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y + first),
                   "r"(shared_address(s_tile)), "r"(static_cast<uint32_t>(sizeof s_tile))
                   : "memory");
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
      if (!BROKEN || tile + 1 == kTiles) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncthreads();
  }
}
