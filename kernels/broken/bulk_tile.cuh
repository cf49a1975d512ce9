// SPDX-License-Identifier: MIT
// A tile that TMA fills (PTX ISA "cp.async.bulk"), and the mbarrier that counts its bytes.
#pragma once

#include "../primitives/mbarrier.cuh"

namespace assay {

constexpr int kTileElements = 1024;
constexpr uint32_t kTileBytes = kTileElements * sizeof(float);

struct BulkTile {
  alignas(16) float values[kTileElements];
  uint64_t full;
};

// One thread starts the load. `expected_bytes` is what the mbarrier expects.
__device__ inline void start_copy(BulkTile& s_tile, const float* g_tile, uint32_t expected_bytes) {
  init(s_tile.full);
  expect_bytes(s_tile.full, expected_bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   shared_address(s_tile.values)),
               "l"(g_tile), "r"(kTileBytes), "r"(shared_address(&s_tile.full))
               : "memory");
}

}  // namespace assay
