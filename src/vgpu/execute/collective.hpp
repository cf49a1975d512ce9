// SPDX-License-Identifier: MIT
// Instructions that lanes execute together: shfl, vote, match, redux, elect, bar.warp.sync. The last operand is the
// member mask of each lane. Lanes that name the same members make a group with a result of its own; the lanes of one
// path may belong to several groups, and the lanes of one group may stand at several places.
#pragma once

#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <span>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {

// The live members of a mask, all of which execute the collective now.
struct Group {
  LaneMask lanes = 0;
  std::span<const Place> places;  // at least one

  // An operand's values of all lanes of the group. Those of other lanes are undefined, as on a GPU.
  template <class T>
  void gather(size_t operand, T (&values)[kLanes]) const {
    std::memcpy(values, places.front().row<T>(operand), sizeof values);
    for (const Place& place : places.subspan(1)) {
      const T* row = place.row<T>(operand);
      for_each_lane(place.lanes, [&](int lane) { values[lane] = row[lane]; });
    }
  }
  LaneMask gather_predicate(size_t operand) const {
    LaneMask bits = 0;
    for (const Place& place : places) bits |= *place.row<LaneMask>(operand) & place.lanes;
    return bits;
  }
  // Gives every lane of the group the result `value(lane)`.
  template <class T, class Value>
  void scatter(size_t operand, Value&& value) const {
    for (const Place& place : places) {
      T* row = place.row<T>(operand);
      for_each_lane(place.lanes, [&](int lane) { row[lane] = value(lane); });
    }
  }
  void scatter_predicate(size_t operand, LaneMask bits) const {
    for (const Place& place : places) {
      if (!place.has_row(operand)) continue;
      LaneMask& row = *place.row<LaneMask>(operand);
      row = (row & ~place.lanes) | (bits & place.lanes);
    }
  }
};

// Those of `lanes` whose mask is `members`.
inline LaneMask lanes_that_name(LaneMask members, const LaneMask* masks, LaneMask lanes) {
  LaneMask same = 0;
  for (int lane = 0; lane < kLanes; ++lane) same |= static_cast<LaneMask>(masks[lane] == members) << lane;
  return same & lanes;
}

// What a collective does to the accesses of its members before and behind it.
enum class Orders : uint8_t { nothing, memory };

// Calls `body(group)` for each group of the executing lanes whose members are all there; the lanes of the others wait.
template <Orders What = Orders::nothing, class Body>
void for_each_group(Warp& warp, const Instruction& instruction, Body&& body) {
  const uint32_t mask_row = instruction.rows[instruction.row_count - 1];
  const bool is_constant = (mask_row & kConstantRow) != 0;
  LaneMask named[kLanes];  // a result may overwrite the mask's register
  std::memcpy(named, warp.row<LaneMask>(mask_row), sizeof named);
  LaneMask masks[kLanes];
  std::memcpy(masks, named, sizeof masks);
  if (warp.existing_lanes() != kAllLanes) {  // lanes that do not exist may be named or not
    for (LaneMask& members : masks) members &= warp.existing_lanes();
  }
  LaneMask waiting = 0;
  LaneMask awaited = 0;
  for (LaneMask left = warp.mask; left != 0;) {
    const LaneMask members = masks[std::countr_zero(left)];
    const LaneMask lanes = is_constant ? left : lanes_that_name(members, masks, left);
    left &= ~lanes;
    if (const LaneMask foreign = lanes & ~members; foreign != 0) {
      warp.fault(FindingKind::illegal_instruction,
                 fmt::format("the member mask 0x{:x} does not name the lane {} that executes it: undefined behaviour",
                             members, std::countr_zero(foreign)),
                 std::countr_zero(foreign));
      return;
    }
    const std::span<const Place> places = warp.meet(instruction, members, lanes);
    if (warp.block().stopped()) return;
    if (places.empty()) {
      if (waiting == 0) awaited = members;
      waiting |= lanes;
      continue;
    }
    Group group{0, places};
    for (const Place& place : places) group.lanes |= place.lanes;
    if (warp.block().synchronisation_followed())
      warp.block().observe(Collective{warp, instruction, named[std::countr_zero(lanes)], group.lanes});
    body(group);
    warp.block().tell([&](BlockObserver& observer) {
      if constexpr (What == Orders::memory) {
        observer.synchronised(warp, group.lanes);
      } else {
        observer.exchanged(warp, instruction, group.lanes);
      }
    });
    warp.go_on(places);
  }
  if (waiting != 0) warp.wait_for_members(waiting, awaited, &instruction);
}

}  // namespace assay::vgpu
