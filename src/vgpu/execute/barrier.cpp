// SPDX-License-Identifier: MIT
// Barriers of blocks and warps, and fences.
#include "vgpu/machine/barrier.hpp"

#include <array>
#include <bit>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// The barrier's number and thread count come from registers: they must agree over the lanes.
struct BarrierArguments {
  int barrier = 0;
  uint32_t expected = 0;
  bool good = false;
};

BarrierArguments read_arguments(Warp& warp, const Instruction& instruction, size_t first, bool has_count) {
  const int lane = std::countr_zero(warp.mask);
  const uint32_t number = warp.row<uint32_t>(instruction.rows[first])[lane];
  const uint32_t count = has_count ? warp.row<uint32_t>(instruction.rows[first + 1])[lane] : 0;
  const bool good = number < Barrier::kCount && (!has_count || (count > 0 && count % kLanes == 0));
  if (!good) {
    warp.fault(FindingKind::illegal_instruction,
               number >= Barrier::kCount ? "a barrier's number must be below 16"
                                         : "a barrier's thread count must be a positive multiple of 32",
               lane);
  }
  return {static_cast<int>(number), count, good};
}

void sync(Warp& warp, const Instruction& instruction) {
  const BarrierArguments arguments = read_arguments(warp, instruction, 0, instruction.row_count > 1);
  if (arguments.good) warp.wait_at_barrier(arguments.barrier, arguments.expected, 0, nullptr);
}

void arrive(Warp& warp, const Instruction& instruction) {
  const BarrierArguments arguments = read_arguments(warp, instruction, 0, true);
  if (!arguments.good) return;
  warp.block().arrive(arguments.barrier, warp, warp.mask, arguments.expected, 0);
}

// Operands: d, barrier{, count}, predicate. `detail` is set when the count is there.
void reduce(Warp& warp, const Instruction& instruction) {
  const bool has_count = instruction.detail != 0;
  const BarrierArguments arguments = read_arguments(warp, instruction, 1, has_count);
  if (!arguments.good) return;
  const LaneMask predicate = *warp.row<LaneMask>(instruction.rows[has_count ? 3 : 2]);
  warp.wait_at_barrier(arguments.barrier, arguments.expected,
                       static_cast<uint32_t>(std::popcount(predicate & warp.mask)), &instruction);
}

Result<Handler> bind_sync(BindContext&) {
  return &sync;
}

Result<Handler> bind_arrive(BindContext&) {
  return &arrive;
}

Result<Handler> bind_reduce(BindContext& context) {
  // The optional count stands before the predicate, so the text decides by the number of operands.
  const size_t count = context.syntax->operands.size();
  if (count != 3 && count != 4)
    return context.error("bar.red takes a result, a barrier, possibly a thread count, and a predicate");
  context.instruction->detail = count == 4;
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
  const LaneMask members = warp.row<LaneMask>(instruction.rows[0])[std::countr_zero(warp.mask)];
  static_cast<void>(warp.converged(members));
}

Result<Handler> bind_warp_sync(BindContext& context) {
  context.instruction->variant = kWarpBarrier;
  return &warp_sync;
}

// Memory accesses of this machine are in program order and seen at once.
void fence(Warp&, const Instruction&) {}

Result<Handler> bind_fence(BindContext&) {
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
    Binding{"fence.proxy", bind_fence},
    Binding{"fence.mbarrier_init", bind_fence},
};

}  // namespace

std::span<const Binding> barrier_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
