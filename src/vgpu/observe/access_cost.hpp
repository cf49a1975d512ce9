// SPDX-License-Identifier: MIT
// What one warp's access costs the memory system: sectors of the L1 cache, wavefronts of shared memory. Pure functions
// of the lanes' addresses; docs/counters.md states the rules, tests/gpu/counter_truth.cu asked a GPU for them.
#pragma once

#include <cstdint>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

inline constexpr uint32_t kSectorBytes = 32;
inline constexpr uint32_t kBanks = 32;
inline constexpr uint32_t kBankBytes = 4;

// The lanes that take part, their addresses (of all 32), and the bytes of each: a power of two, aligned.
struct LaneAddresses {
  const uint64_t* at;
  LaneMask lanes;
  uint32_t bytes;
};

// Different 32-byte sectors that the lanes touch.
uint32_t sectors(const LaneAddresses& access);
// Of atomics: lanes that name the same address go to its sector one after the other.
uint32_t atomic_sectors(const LaneAddresses& access);
// The fewest sectors that could hold the different bytes that the lanes touch.
uint32_t ideal_sectors(const LaneAddresses& access);
// Local memory interleaves the lanes: a 4-byte word of all 32 lanes lies side by side in 128 bytes.
uint32_t local_sectors(const LaneAddresses& access);

// How often shared memory must be read or written for the access, and how often if no two lanes met in a bank.
struct SharedCost {
  uint32_t wavefronts = 0;
  uint32_t ideal = 0;

  uint32_t conflicts() const { return wavefronts - ideal; }
};
// Up to 4 bytes the whole warp goes at once; 8 bytes go by half warps, 16 by quarters. Two of these go at once if in
// the whole warp lanes i and i ^ 1, or all lanes i and i ^ 2, that both take part name the same address.
SharedCost shared_load_cost(const LaneAddresses& access);
// The same, but every half or quarter goes by itself.
SharedCost shared_store_cost(const LaneAddresses& access);
// ldmatrix and stmatrix: eight lanes give the rows of 16 bytes of one matrix, which goes by itself.
SharedCost matrix_cost(const LaneAddresses& access);
// Lanes that conflict in a bank are serialised, even if they name the same word.
SharedCost shared_atomic_cost(const LaneAddresses& access);

}  // namespace assay::vgpu
