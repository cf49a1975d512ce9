// SPDX-License-Identifier: MIT
// cp.async and its groups. See machine/async_copy.cpp for when the data arrives.
#include <array>
#include <bit>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// Operands: [d], [a], bytes{, source bytes, or a predicate: the source is not read}. `variant` bit 0: d has 64 bits;
// bit 1: the source size is given; bit 2: the predicate is. `immediate` is d's offset, `detail` a's.
constexpr uint8_t kWideTarget = 1;
constexpr uint8_t kSourceSize = 2;
constexpr uint8_t kIgnoresSource = 4;

void copy(Warp& warp, const Instruction& instruction) {
  const auto bytes = *warp.row<uint32_t>(instruction.rows[2]);
  PendingCopy pending;
  pending.bytes = static_cast<uint8_t>(bytes);
  pending.source_bytes.fill(static_cast<uint8_t>(bytes));
  const LaneMask all = warp.mask;
  LaneMask reading = all;
  if ((instruction.variant & kSourceSize) != 0) {
    const uint32_t* source_bytes = warp.row<uint32_t>(instruction.rows[3]);
    for_each_lane(all, [&](int lane) {
      pending.source_bytes[static_cast<size_t>(lane)] = static_cast<uint8_t>(std::min(source_bytes[lane], bytes));
      if (source_bytes[lane] == 0) reading &= ~(LaneMask{1} << lane);
    });
  }
  if ((instruction.variant & kIgnoresSource) != 0) {
    reading &= ~*warp.row<LaneMask>(instruction.rows[3]);
    for_each_lane(all & ~reading, [&](int lane) { pending.source_bytes[static_cast<size_t>(lane)] = 0; });
  }
  std::array<uint64_t, kLanes> targets;
  read_addresses(warp, instruction.rows[0], (instruction.variant & kWideTarget) != 0, instruction.immediate, targets);
  const LanePointers to = resolve(warp, instruction, Space::shared, AccessKind::async_write, bytes, targets);
  if (warp.block().stopped()) return;
  // A lane that reads nothing may have any source address.
  warp.mask = reading & to.lanes;
  std::array<uint64_t, kLanes> sources;
  read_addresses(warp, instruction.rows[1], true, static_cast<int32_t>(instruction.detail), sources);
  LanePointers from;
  if (warp.mask != 0) from = resolve(warp, instruction, Space::global, AccessKind::async_read, bytes, sources);
  warp.mask = all;
  if (warp.block().stopped()) return;
  pending.lanes = to.lanes & (from.lanes | ~reading);
  for_each_lane(pending.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    pending.target[at] = to.at[at];
    pending.source[at] = (from.lanes >> lane & 1) != 0 ? from.at[at] : to.at[at];
  });
  if (pending.lanes != 0) warp.issue_copy(pending);
}

Result<Handler> bind_copy(BindContext& context) {
  const auto& operands = context.operands;
  const uint64_t bytes = operands[2].value;
  if (!operands[2].is_immediate || (bytes != 4 && bytes != 8 && bytes != 16))
    return context.error("cp.async copies 4, 8 or 16 bytes");
  if (context.has("cg") && bytes != 16) return context.error("cp.async.cg copies 16 bytes");
  if (operands[1].bits != 64) return context.error("the source address needs 64 bits");
  uint8_t source = 0;
  if (operands.size() > 3) {
    // A constant is as wide as a size.
    if (operands[3].is_immediate) {
      ASSAY_TRY(context.operands[3], context.value(context.syntax->operands[3], 32, false));
    }
    if (operands[3].bits != 1 && operands[3].bits != 32)
      return context.error("the source size needs a register of 32 bits, or a predicate in its place");
    source = operands[3].bits == 1 ? kIgnoresSource : kSourceSize;
  }
  context.instruction->variant = static_cast<uint8_t>((operands[0].bits == 64 ? kWideTarget : 0) | source);
  context.instruction->immediate = operands[0].offset;
  context.instruction->detail = static_cast<uint32_t>(static_cast<int32_t>(operands[1].offset));
  return &copy;
}

// Told before anything lands: what a wait finds open is what it waits for.
void tell_group(Warp& warp, const Instruction& instruction) {
  warp.block().tell([&](BlockObserver& observer) { observer.grouped(warp, instruction); });
}

void commit(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.commit_copies();
}

void wait_group(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.wait_copies(instruction.detail);
}

void wait_all(Warp& warp, const Instruction& instruction) {
  tell_group(warp, instruction);
  warp.wait_all_copies();
}

Result<Handler> bind_commit(BindContext&) {
  return &commit;
}

Result<Handler> bind_wait_group(BindContext& context) {
  if (!context.operands[0].is_immediate) return context.error("cp.async.wait_group needs a constant");
  context.instruction->detail = static_cast<uint32_t>(context.operands[0].value);
  return &wait_group;
}

Result<Handler> bind_wait_all(BindContext&) {
  return &wait_all;
}

constexpr std::array kBindings = {
    Binding{"cp.async", bind_copy},
    Binding{"cp.async.commit_group", bind_commit},
    Binding{"cp.async.wait_group", bind_wait_group},
    Binding{"cp.async.wait_all", bind_wait_all},
};

}  // namespace

std::span<const Binding> async_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
