// SPDX-License-Identifier: MIT
// Asynchronous copies from global to shared memory, 16 bytes at a time, past the registers and the L1 cache.
// A copy is visible to the thread that issued it after wait_for_copies, to the other threads after a barrier besides.
#pragma once

#include <cstdint>

namespace assay {

// The 32-bit address that instructions of the shared state space take.
__device__ __forceinline__ uint32_t shared_address(const void* s_pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(s_pointer));
}

// PTX ISA, "Data Movement and Conversion Instructions: Non-bulk copy: cp.async". Both addresses must be multiples of
// 16: a row whose length in bytes is no multiple of 16 faults here ("misaligned address"), whatever it holds.
__device__ __forceinline__ void copy_16_bytes(uint32_t s_destination, const void* g_source) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(s_destination), "l"(g_source) : "memory");
}

// As above; where `inside` is false nothing is read and the destination becomes zero (the src-size operand).
__device__ __forceinline__ void copy_16_bytes_or_zero(uint32_t s_destination, const void* g_source, bool inside) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::"r"(s_destination), "l"(g_source),
               "r"(inside ? 16 : 0)
               : "memory");
}

// PTX ISA, "... cp.async.commit_group": the copies issued since the last commit become one group.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// PTX ISA, "... cp.async.wait_group": returns when at most kGroupsInFlight of the newest groups are unfinished.
// The count is encoded in the instruction: it has to be known at compile time.
template <int kGroupsInFlight>
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kGroupsInFlight) : "memory");
}

}  // namespace assay
