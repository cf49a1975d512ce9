// SPDX-License-Identifier: MIT
// A tile that the copy engine fills (PTX ISA "cp.async.bulk"), and the mbarrier that counts its bytes.
#pragma once

#include <cstdint>

namespace assay {

constexpr int kTileElements = 1024;
constexpr uint32_t kTileBytes = kTileElements * sizeof(float);

struct BulkTile {
  alignas(16) float values[kTileElements];
  uint64_t full;
};

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// One thread asks for the tile. `expected_bytes` is what the mbarrier is told to wait for.
__device__ inline void start_copy(BulkTile& s_tile, const float* g_tile, uint32_t expected_bytes) {
  const uint32_t s_full = shared_address(&s_tile.full);
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(s_full) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s_full), "r"(expected_bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(s_tile.values)),
               "l"(g_tile), "r"(kTileBytes), "r"(s_full)
               : "memory");
}

__device__ inline bool has_arrived(const BulkTile& s_tile) {
  uint32_t done;
  asm volatile(
      "{\n.reg .pred complete;\n"
      "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], 0;\n"
      "selp.u32 %0, 1, 0, complete;\n}\n"
      : "=r"(done)
      : "r"(shared_address(&s_tile.full))
      : "memory");
  return done != 0;
}

}  // namespace assay
