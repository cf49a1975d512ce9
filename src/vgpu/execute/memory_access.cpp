// SPDX-License-Identifier: MIT
#include "vgpu/execute/memory_access.hpp"

#include <bit>
#include <fmt/format.h>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/cluster.hpp"

namespace assay::vgpu {
namespace {

// How far a space reaches, for the machine's own safety.
uint64_t extent(const Warp& warp, Space space) {
  const Grid& grid = warp.block().grid();
  switch (space) {
    case Space::shared:
      return warp.block().shared_bytes();
    case Space::local:
      return warp.local_stride();
    case Space::constant:
      return grid.launch.program->constant_bank.size();
    case Space::parameter:
      return grid.launch.parameters.size();
    default:
      return 0;
  }
}

std::byte* base_of(Warp& warp, Space space) {
  const Grid& grid = warp.block().grid();
  switch (space) {
    case Space::shared:
      return warp.block().shared();
    case Space::constant:
      return const_cast<std::byte*>(grid.launch.program->constant_bank.data());
    case Space::parameter:
      return const_cast<std::byte*>(grid.launch.parameters.data());
    default:
      return nullptr;
  }
}

// All lanes at once: the or of the addresses shows misalignment, the largest one shows the end of the space.
ASSAY_FORCE_INLINE bool all_good(const std::array<uint64_t, kLanes>& addresses, LaneMask mask, uint64_t start,
                                 uint64_t size, uint32_t bytes) {
  if (size < bytes) return false;
  uint64_t low_bits = 0;
  uint64_t largest = 0;
  if (mask == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t offset = addresses[static_cast<size_t>(lane)] - start;
      low_bits |= offset;
      largest = offset > largest ? offset : largest;
    }
  } else {
    for (LaneMask left = mask; left != 0; left &= left - 1) {
      const uint64_t offset = addresses[static_cast<size_t>(std::countr_zero(left))] - start;
      low_bits |= offset;
      largest = offset > largest ? offset : largest;
    }
  }
  return (low_bits & (bytes - 1)) == 0 && largest <= size - bytes;
}

// Lanes that do not take part may hold any address, so that this adds numbers: a pointer may not leave its array.
ASSAY_FORCE_INLINE std::byte* place(std::byte* base, uint64_t offset) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<uintptr_t>(base) + offset);
}

// Lanes of one space. `addresses` are offsets in it, in shared memory of this block.
LanePointers resolve_here(Warp& warp, const Instruction& instruction, Space space, AccessKind kind, uint32_t bytes,
                          LaneMask mask, const std::array<uint64_t, kLanes>& addresses, const Block* owner) {
  LanePointers pointers;
  const Grid& grid = warp.block().grid();
  if (warp.block().watched()) {
    mask = warp.block().observe({warp, instruction, space, kind, bytes, mask, addresses.data(), owner});
  }
  pointers.lanes = mask;
  if (mask == 0) return pointers;
  const uint64_t start = space == Space::global ? kGlobalWindow : 0;
  const uint64_t size = space == Space::global ? grid.memory.reserved() : extent(warp, space);
  if (space == Space::generic || !all_good(addresses, mask, start, size, bytes)) {
    for_each_lane(mask, [&](int lane) {
      if (warp.block().stopped()) return;
      auto problem = access_fault(warp, space, kind, bytes, addresses[static_cast<size_t>(lane)]);
      if (problem) warp.fault(std::move(*problem), lane);
    });
    // Unaligned or far away, but the careful look found nothing: only an internal error could bring us here.
    if (warp.block().stopped()) pointers.lanes = 0;
    if (pointers.lanes == 0) return pointers;
  }
  if (space == Space::global) {
    std::byte* base = grid.memory.host(kGlobalWindow);
    for (size_t lane = 0; lane < kLanes; ++lane) pointers.at[lane] = place(base, addresses[lane] - kGlobalWindow);
  } else if (space == Space::local) {
    for (size_t lane = 0; lane < kLanes; ++lane)
      pointers.at[lane] = place(warp.local_memory(static_cast<int>(lane)), addresses[lane]);
  } else {
    std::byte* base = base_of(warp, space);
    for (size_t lane = 0; lane < kLanes; ++lane) pointers.at[lane] = place(base, addresses[lane]);
  }
  return pointers;
}

bool any_elsewhere(const std::array<uint64_t, kLanes>& addresses, LaneMask mask) {
  uint64_t bits = 0;
  for_each_lane(mask, [&](int lane) { bits |= addresses[static_cast<size_t>(lane)]; });
  return bits >> kRankAt != 0;
}

// Shared memory of blocks of the cluster, by the rank in the addresses: lanes are taken together by block. A rank that
// does not exist stays in the address, which then is out of bounds.
LanePointers resolve_in_cluster(Warp& warp, const Instruction& instruction, AccessKind kind, uint32_t bytes,
                                LaneMask mask, const std::array<uint64_t, kLanes>& addresses) {
  LanePointers all;
  for (LaneMask left = mask; left != 0 && !warp.block().stopped();) {
    const uint64_t tag = addresses[static_cast<size_t>(std::countr_zero(left))] >> kRankAt;
    Block* const owner = tag == 0 ? &warp.block() : warp.block().cluster().block(tag - 1);
    LaneMask same = 0;
    std::array<uint64_t, kLanes> offsets = addresses;
    for_each_lane(left, [&](int lane) {
      const auto at = static_cast<size_t>(lane);
      if (addresses[at] >> kRankAt != tag) return;
      same |= LaneMask{1} << lane;
      if (owner != nullptr) offsets[at] &= kRankOffsetMask;
    });
    left &= ~same;
    const LanePointers part = resolve_here(warp, instruction, Space::shared, kind, bytes, same, offsets, owner);
    for_each_lane(part.lanes, [&](int lane) {
      const auto at = static_cast<size_t>(lane);
      all.at[at] = owner->shared() + (part.at[at] - warp.block().shared());
    });
    all.lanes |= part.lanes;
  }
  if (warp.block().stopped()) all.lanes = 0;
  return all;
}

LanePointers resolve_in(Warp& warp, const Instruction& instruction, Space space, AccessKind kind, uint32_t bytes,
                        LaneMask mask, const std::array<uint64_t, kLanes>& addresses) {
  constexpr int kFirstWithClusters = 90;  // compute capability; a cluster of one block has mapped addresses too
  const bool may_be_mapped =
      space == Space::shared && warp.block().grid().model.compute_capability() >= kFirstWithClusters;
  if (may_be_mapped && any_elsewhere(addresses, mask))
    return resolve_in_cluster(warp, instruction, kind, bytes, mask, addresses);
  return resolve_here(warp, instruction, space, kind, bytes, mask, addresses, &warp.block());
}

}  // namespace

void read_addresses(const Warp& warp, uint32_t row, bool wide, int64_t offset,
                    std::array<uint64_t, kLanes>& addresses) {
  const auto add = static_cast<uint64_t>(offset);
  if (wide) {
    const uint64_t* base = warp.row<uint64_t>(row);
    for (size_t lane = 0; lane < kLanes; ++lane) addresses[lane] = base[lane] + add;
  } else {
    const uint32_t* base = warp.row<uint32_t>(row);
    for (size_t lane = 0; lane < kLanes; ++lane)
      addresses[lane] = static_cast<uint32_t>(base[lane] + static_cast<uint32_t>(add));
  }
}

LanePointers resolve(Warp& warp, const Instruction& instruction, Space space, AccessKind kind, uint32_t bytes,
                     std::array<uint64_t, kLanes>& addresses) {
  if (space != Space::generic) {
    const LanePointers pointers = resolve_in(warp, instruction, space, kind, bytes, warp.mask, addresses);
    if (warp.is_watched()) warp.note_access(kind, bytes, pointers.at, pointers.lanes);
    return pointers;
  }
  // Generic addresses: lanes are taken together by the window that they point into.
  LanePointers all;
  LaneMask left = warp.mask;
  while (left != 0) {
    const Space first = classify(addresses[static_cast<size_t>(std::countr_zero(left))]).space;
    LaneMask same = 0;
    std::array<uint64_t, kLanes> offsets = addresses;
    for_each_lane(left, [&](int lane) {
      const SpaceAddress at = classify(addresses[static_cast<size_t>(lane)]);
      if (at.space != first) return;
      same |= LaneMask{1} << lane;
      offsets[static_cast<size_t>(lane)] = at.offset;
    });
    const LanePointers part = resolve_in(warp, instruction, first, kind, bytes, same, offsets);
    for_each_lane(part.lanes,
                  [&](int lane) { all.at[static_cast<size_t>(lane)] = part.at[static_cast<size_t>(lane)]; });
    all.lanes |= part.lanes;
    if (warp.block().stopped()) return {};
    left &= ~same;
  }
  if (warp.is_watched()) warp.note_access(kind, bytes, all.at, all.lanes);
  return all;
}

}  // namespace assay::vgpu
