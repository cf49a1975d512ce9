// SPDX-License-Identifier: MIT
// Thread block clusters (sm_90): who is in one, their barrier, and reading and writing another block's shared memory. A
// kernel that is launched without a cluster is a cluster of one block.
#pragma once

#include <cstdint>

namespace assay {

// PTX ISA, "Special Registers: %cluster_ctarank".
__device__ __forceinline__ int cluster_rank() {
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return static_cast<int>(rank);
}

// PTX ISA, "Special Registers: %cluster_nctarank".
__device__ __forceinline__ int cluster_blocks() {
  uint32_t blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  return static_cast<int>(blocks);
}

// PTX ISA, "Parallel Synchronization and Communication Instructions: barrier.cluster". What was written before the
// arrival is seen after the wait, in the shared memory of all blocks. Every thread of the cluster must come.
__device__ __forceinline__ void arrive_at_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// PTX ISA, "Data Movement and Conversion Instructions: mapa": where the same variable lies in block `rank`.
__device__ __forceinline__ uint32_t shared_address_in(uint32_t s_address, int rank) {
  uint32_t remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(s_address), "r"(rank));
  return remote;
}

// PTX ISA, "Data Movement and Conversion Instructions: st", state space shared::cluster.
__device__ __forceinline__ void store_remote(uint32_t s_remote, float value) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(s_remote), "f"(value) : "memory");
}
__device__ __forceinline__ void store_remote(uint32_t s_remote, const float4& value) {
  asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(s_remote), "f"(value.x), "f"(value.y),
               "f"(value.z), "f"(value.w)
               : "memory");
}

// PTX ISA, "Data Movement and Conversion Instructions: ld", state space shared::cluster.
__device__ __forceinline__ float load_remote(uint32_t s_remote) {
  float value;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(value) : "r"(s_remote) : "memory");
  return value;
}
__device__ __forceinline__ float4 load_remote_quad(uint32_t s_remote) {
  float4 value;
  asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
               : "r"(s_remote)
               : "memory");
  return value;
}

}  // namespace assay
