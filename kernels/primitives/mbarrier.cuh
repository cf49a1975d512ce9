// SPDX-License-Identifier: MIT
// A barrier in shared memory that counts the bytes which TMA loads bring. For one phase; kernels that go round a
// ring of stages have their own (attention/hopper/mbarrier.cuh).
#pragma once

#include "async_copy.cuh"

namespace assay {

// PTX ISA "mbarrier.init", for one arriving thread, and "fence.proxy.async": TMA sees it.
__device__ __forceinline__ void init(uint64_t& s_barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&s_barrier)) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// PTX ISA "mbarrier.arrive" with .expect_tx: the thread arrives, and so many bytes are still to come.
__device__ __forceinline__ void expect_bytes(uint64_t& s_barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&s_barrier)), "r"(bytes)
               : "memory");
}

// PTX ISA "mbarrier.try_wait": waits a while for the first phase.
__device__ __forceinline__ bool first_phase_done(const uint64_t& s_barrier) {
  uint32_t done;
  asm volatile(
      "{\n.reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], 0;\n"
      "selp.u32 %0, 1, 0, complete;\n}\n"
      : "=r"(done)
      : "r"(shared_address(&s_barrier))
      : "memory");
  return done != 0;
}

}  // namespace assay
