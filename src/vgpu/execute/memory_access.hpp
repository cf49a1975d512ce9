// SPDX-License-Identifier: MIT
// The way from an instruction's addresses to the host's memory: window, bounds, alignment, observers.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/machine/observer.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

struct LanePointers {
  std::array<std::byte*, kLanes> at;
  LaneMask lanes = 0;  // that have one; the others were refused by an observer
};

// The operand's addresses, its offset added.
void read_addresses(const Warp& warp, uint32_t row, bool wide, int64_t offset, std::array<uint64_t, kLanes>& addresses);

// Finds the host's memory for every lane of the warp's mask. Addresses are offsets in `space`, or generic.
// A bad access (misaligned, in no memory) that no observer took care of stops the launch, and no lane gets a pointer.
LanePointers resolve(Warp& warp, const Instruction& instruction, Space space, AccessKind kind, uint32_t bytes,
                     std::array<uint64_t, kLanes>& addresses);

}  // namespace assay::vgpu
