// SPDX-License-Identifier: MIT
// Shared-memory barriers that count threads and bytes, and the named barriers of a block.
#pragma once

#include <cstdint>

namespace assay::attention::hopper {

__device__ __forceinline__ uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// PTX ISA "mbarrier". One phase completes when the expected arrivals and bytes are in.
struct Mbarrier {
  uint64_t state;

  // PTX ISA "mbarrier.init"
  __device__ void init(int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(this)), "r"(arrivals) : "memory");
  }
  // PTX ISA "mbarrier.arrive", with .expect_tx
  __device__ void expect_bytes(uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(this)), "r"(bytes)
                 : "memory");
  }
  // PTX ISA "mbarrier.arrive"
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(this)) : "memory");
  }
  // PTX ISA "mbarrier.try_wait", which sleeps for a while in hardware before it gives up
  __device__ void wait(uint32_t parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "retry:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@done bra finished;\n"
        "bra retry;\n"
        "finished:\n}\n" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
  }
};

// PTX ISA "membar / fence", .mbarrier_init and .proxy.async: makes initialised barriers visible to TMA.
__device__ __forceinline__ void publish_mbarriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// PTX ISA "bar", .sync and .arrive on a named barrier; barrier 0 belongs to __syncthreads.
__device__ __forceinline__ void named_barrier_sync(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_barrier_arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

// Position in a ring of stages: the stage and the parity that its barrier has when this round's data are in.
template <int kStages>
struct RingCursor {
  int stage = 0;
  uint32_t parity = 0;

  __device__ void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

}  // namespace assay::attention::hopper
