// SPDX-License-Identifier: MIT
// Broken on purpose (with BROKEN=1): threads write a tile, meet at a barrier, and one of them lets TMA store it. The
// barrier orders threads; TMA reads through the async proxy and may see what lay there before.
#include <cstdint>

constexpr int kTile = 128;

__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

extern "C" __global__ void scale_tiles(const float* x, float* y) {
  __shared__ alignas(128) float s_tile[kTile];
  const int first = static_cast<int>(blockIdx.x) * kTile;
  s_tile[threadIdx.x] = x[first + threadIdx.x];
  if (!BROKEN) asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y + first),
               "r"(shared_address(s_tile)), "r"(static_cast<uint32_t>(sizeof s_tile))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
