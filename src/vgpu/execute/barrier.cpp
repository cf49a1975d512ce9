// SPDX-License-Identifier: MIT
// Barriers of blocks and warps, and fences.
#include "vgpu/machine/barrier.hpp"

#include <array>
#include <bit>

#include "vgpu/execute/collective.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// The barrier's number and thread count come from registers, and lanes may name different ones where the instruction
// is not .aligned: those of the first lane's barrier go now, the rest comes back to this instruction.
struct BarrierArguments {
  int barrier = 0;
  uint32_t expected = 0;
  bool good = false;
};

BarrierArguments read_arguments(Warp& warp, const Instruction& instruction, size_t first) {
  const bool has_count = (instruction.detail & kBarrierHasCount) != 0;
  const int lane = std::countr_zero(warp.mask);
  const auto* numbers = warp.row<uint32_t>(instruction.rows[first]);
  const uint32_t* counts = has_count ? warp.row<uint32_t>(instruction.rows[first + 1]) : nullptr;
  const uint32_t number = numbers[lane];
  const uint32_t count = has_count ? counts[lane] : 0;
  const bool good = number < Barrier::kCount && (!has_count || (count > 0 && count % kLanes == 0));
  if (!good) {
    warp.fault(FindingKind::illegal_instruction,
               number >= Barrier::kCount ? "a barrier's number must be below 16"
                                         : "a barrier's thread count must be a positive multiple of 32",
               lane);
    return {};
  }
  LaneMask others = 0;
  for_each_lane(warp.mask, [&](int other) {
    const bool same = numbers[other] == number && (!has_count || counts[other] == count);
    others |= static_cast<LaneMask>(!same) << other;
  });
  if (others != 0 && (instruction.detail & kBarrierAligned) != 0) {
    warp.fault(FindingKind::illegal_instruction,
               "the lanes of the warp name different barriers or thread counts, which only barrier without .aligned "
               "allows",
               std::countr_zero(others));
    return {};
  }
  if (others != 0) {
    warp.repeat_later(others);
    warp.mask &= ~others;
  }
  return {static_cast<int>(number), count, true};
}

void sync(Warp& warp, const Instruction& instruction) {
  const BarrierArguments arguments = read_arguments(warp, instruction, 0);
  if (arguments.good) warp.wait_at_barrier(arguments.barrier, arguments.expected, 0, nullptr);
}

void arrive(Warp& warp, const Instruction& instruction) {
  const BarrierArguments arguments = read_arguments(warp, instruction, 0);
  if (!arguments.good) return;
  warp.block().arrive(arguments.barrier, warp, warp.mask, arguments.expected, 0, false);
}

// Operands: d, barrier{, count}, predicate.
void reduce(Warp& warp, const Instruction& instruction) {
  const BarrierArguments arguments = read_arguments(warp, instruction, 1);
  if (!arguments.good) return;
  const bool has_count = (instruction.detail & kBarrierHasCount) != 0;
  const LaneMask predicate = *warp.row<LaneMask>(instruction.rows[has_count ? 3 : 2]);
  warp.wait_at_barrier(arguments.barrier, arguments.expected,
                       static_cast<uint32_t>(std::popcount(predicate & warp.mask)), &instruction);
}

// bar is barrier.aligned.
uint32_t alignment(const BindContext& context) {
  return context.has("aligned") || context.syntax->opcode == "bar" ? kBarrierAligned : 0;
}

Result<Handler> bind_sync(BindContext& context) {
  context.instruction->detail = alignment(context) | (context.operands.size() > 1 ? kBarrierHasCount : 0);
  return &sync;
}

Result<Handler> bind_arrive(BindContext& context) {
  context.instruction->detail = alignment(context) | kBarrierHasCount;
  return &arrive;
}

Result<Handler> bind_reduce(BindContext& context) {
  // The optional count stands before the predicate, so the text decides by the number of operands.
  const size_t count = context.syntax->operands.size();
  if (count != 3 && count != 4)
    return context.error("bar.red takes a result, a barrier, possibly a thread count, and a predicate");
  context.instruction->detail = alignment(context) | (count == 4 ? kBarrierHasCount : 0);
  if (count == 4) {
    ASSAY_TRY(context.operands[2], context.value(context.syntax->operands[2], 32, false));  // an immediate gets 32 bits
  }
  if (context.operands.back().bits != 1) return context.error("the last operand of bar.red is a predicate");
  const BarrierReduction reduction = context.has("popc")  ? BarrierReduction::popc
                                     : context.has("and") ? BarrierReduction::all
                                                          : BarrierReduction::any;
  context.instruction->variant = static_cast<uint8_t>(reduction);
  return &reduce;
}

void warp_sync(Warp& warp, const Instruction& instruction) {
  for_each_group<Orders::memory>(warp, instruction, [](const Group&) {});
}

Result<Handler> bind_warp_sync(BindContext&) {
  return &warp_sync;
}

// Memory accesses of this machine are in program order and seen at once.
void fence(Warp& warp, const Instruction& instruction) {
  warp.block().tell([&](BlockObserver& observer) { observer.fenced(warp, instruction); });
}

Result<Handler> bind_fence(BindContext&) {
  return &fence;
}

Result<Handler> bind_map_fence(BindContext& context) {
  const BoundOperand& bytes = context.operands[1];
  if (!bytes.is_immediate || bytes.value != 128) return context.error("the fence of a tensor map takes 128 bytes");
  return &fence;
}

constexpr std::array kBindings = {
    Binding{"bar.sync", bind_sync},
    Binding{"bar.arrive", bind_arrive},
    Binding{"bar.red.popc", bind_reduce},
    Binding{"bar.red.logic", bind_reduce},
    Binding{"barrier.sync", bind_sync},
    Binding{"barrier.arrive", bind_arrive},
    Binding{"barrier.red.popc", bind_reduce},
    Binding{"barrier.red.logic", bind_reduce},
    Binding{"bar.warp.sync", bind_warp_sync},
    Binding{"membar", bind_fence},
    Binding{"fence", bind_fence},
    Binding{"membar.proxy", bind_fence},
    Binding{"fence.restricted", bind_fence},
    Binding{"fence.proxy", bind_fence},
    Binding{"fence.proxy.restricted", bind_fence},
    Binding{"fence.proxy.tensormap.release", bind_fence},
    Binding{"fence.proxy.tensormap.acquire", bind_map_fence},
    Binding{"fence.mbarrier_init", bind_fence},
};

}  // namespace

std::span<const Binding> barrier_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
