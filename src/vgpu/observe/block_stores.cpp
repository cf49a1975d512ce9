// SPDX-License-Identifier: MIT
// Bulk stores from shared to global memory: they write until their thread has waited for their group.
#include <bit>

#include "vgpu/observe/block_races.hpp"

namespace assay::vgpu {

void BlockRaces::note_store(const Access& access) {
  WarpState& state = state_of(access.warp);
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const uint32_t group = state.store_groups[static_cast<size_t>(lane)];
    const uint64_t address = access.addresses[lane];
    if (!state.open_stores.empty()) {
      OpenStore& last = state.open_stores.back();
      if (last.lane == lane && last.group == group && last.address + last.bytes == address) {
        last.bytes += access.bytes;
        continue;
      }
    }
    state.open_stores.push_back({lane, group, address, access.bytes});
  }
}

void BlockRaces::complete(const Warp& warp, const OpenStore& store) {
  const Stamp now = state_of(warp).now & AccessRecord::kUnderWay;
  const uint32_t who =
      AccessRecord::name(number_, static_cast<uint32_t>(warp.index()), static_cast<uint32_t>(store.lane));
  check_.global.tidy();
  check_.global.complete_copies(store.address - kGlobalWindow, store.bytes, who, now, Shadow::Copies::of_thread);
}

// A wait for bulk stores: what they wrote to global memory is a write of their thread at this time.
void BlockRaces::grouped(const Warp& warp, const Instruction& instruction) {
  const auto kind = check_.instruction(check_.number_of(*warp.frame().function, instruction)).store_group;
  if (kind == RaceCheck::StoreGroup::none) return;
  WarpState& state = state_of(warp);
  if (kind == RaceCheck::StoreGroup::commit) {
    for (LaneMask left = warp.mask; left != 0; left &= left - 1)
      ++state.store_groups[static_cast<size_t>(std::countr_zero(left))];
    return;
  }
  std::erase_if(state.open_stores, [&](const OpenStore& store) {
    const bool waited = (warp.mask >> store.lane & 1) != 0 && store.group + uint64_t{instruction.detail} <
                                                                  state.store_groups[static_cast<size_t>(store.lane)];
    if (waited) complete(warp, store);
    return waited;
  });
  ++state.now;
}

}  // namespace assay::vgpu
