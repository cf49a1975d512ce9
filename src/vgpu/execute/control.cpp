// SPDX-License-Identifier: MIT
// Branches, the end of threads, traps, the local stack. Calls are in call.cpp.
#include <array>
#include <bit>

#include "vgpu/execute/call.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

void branch(Warp& warp, const Instruction& instruction) {
  warp.branch(warp.mask, static_cast<uint32_t>(instruction.immediate));
}

Result<Handler> bind_branch(BindContext& context) {
  const auto* target =
      context.syntax->operands.size() == 1 ? std::get_if<ptx::Identifier>(&context.syntax->operands[0].value) : nullptr;
  if (target == nullptr) return context.error("a branch needs a label");
  ASSAY_CHECK(context.label(target->name));
  return &branch;
}

// Lanes go to different places: one path for each target that a lane picked.
void branch_by_index(Warp& warp, const Instruction& instruction) {
  const auto& table = warp.frame().function->branch_tables[instruction.detail];
  const uint32_t* index = warp.row<uint32_t>(instruction.rows[0]);
  LaneMask left = warp.mask;
  for_each_lane(left, [&](int lane) {
    if (index[lane] >= table.size() && !warp.block().stopped()) {
      warp.fault(FindingKind::illegal_instruction, "brx.idx: the index is beyond the list of targets", lane);
    }
  });
  if (warp.block().stopped()) return;
  while (left != 0) {
    const uint32_t target = table[index[std::countr_zero(left)]];
    LaneMask same = 0;
    for_each_lane(left, [&](int lane) { same |= static_cast<LaneMask>(table[index[lane]] == target) << lane; });
    warp.branch(same, target);
    left &= ~same;
  }
}

Result<Handler> bind_branch_by_index(BindContext& context) {
  const auto& operands = context.syntax->operands;
  const auto* list = operands.size() == 2 ? std::get_if<ptx::Identifier>(&operands[1].value) : nullptr;
  if (list == nullptr) return context.error("brx.idx needs an index and a list of targets");
  ASSAY_TRY(const BoundOperand index, context.value(operands[0], 32, false));
  context.operands.push_back(index);
  ASSAY_TRY(const std::vector<std::string> names, context.target_list(list->name));
  std::vector<uint32_t> labels;
  for (const std::string& name : names) {
    ASSAY_TRY(const uint32_t label, context.label(name));
    labels.push_back(label);
  }
  context.instruction->detail = static_cast<uint32_t>(context.function->branch_tables.size());
  context.function->branch_tables.push_back(std::move(labels));
  return &branch_by_index;
}

void return_from(Warp& warp, const Instruction&) {
  warp.return_from_call(warp.mask);
}

void exit_thread(Warp& warp, const Instruction&) {
  warp.exit(warp.mask);
}

void trap(Warp& warp, const Instruction&) {
  warp.fault(FindingKind::trap, "the kernel stopped itself (trap)", std::countr_zero(warp.mask));
}

void nothing(Warp&, const Instruction&) {}

void sleep(Warp& warp, const Instruction&) {
  warp.give_way();
}

template <Handler H>
Result<Handler> bind(BindContext&) {
  return H;
}

// The stack belongs to the activation; lanes that part inside one and allocate differently are kept apart by taking the
// larger size for all.
template <class T>
void allocate_local(Warp& warp, const Instruction& instruction) {
  const T* bytes = warp.row<T>(instruction.rows[1]);
  T* d = warp.row<T>(instruction.rows[0]);
  Frame& frame = warp.frame();
  const uint64_t base = (uint64_t{frame.local_top} + 15) / 16 * 16;
  uint64_t largest = 0;
  for_each_lane(warp.mask, [&](int lane) { largest = std::max(largest, static_cast<uint64_t>(bytes[lane])); });
  if (base + largest > warp.local_stride()) {
    Finding finding;
    finding.kind = FindingKind::out_of_bounds;
    finding.space = Space::local;
    finding.message = "alloca: the stack is full";
    warp.fault(std::move(finding), std::countr_zero(warp.mask));
    return;
  }
  frame.local_top = static_cast<uint32_t>(base + largest);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = static_cast<T>(base); });
}

Result<Handler> bind_alloca(BindContext& context) {
  context.function->needs_stack = true;
  return for_width(context, context.bits(0), [](auto zero) -> Handler { return &allocate_local<decltype(zero)>; });
}

template <class T>
void save_stack(Warp& warp, const Instruction& instruction) {
  T* d = warp.row<T>(instruction.rows[0]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = static_cast<T>(warp.frame().local_top); });
}

Result<Handler> bind_save_stack(BindContext& context) {
  return for_width(context, context.bits(0), [](auto zero) -> Handler { return &save_stack<decltype(zero)>; });
}

template <class T>
void restore_stack(Warp& warp, const Instruction& instruction) {
  const auto top = static_cast<uint64_t>(warp.row<T>(instruction.rows[0])[std::countr_zero(warp.mask)]);
  Frame& frame = warp.frame();
  if (top <= frame.local_top) frame.local_top = static_cast<uint32_t>(top);
}

Result<Handler> bind_restore_stack(BindContext& context) {
  return for_width(context, context.bits(0), [](auto zero) -> Handler { return &restore_stack<decltype(zero)>; });
}

void set_registers(Warp& warp, const Instruction& instruction) {
  if (!warp.block().set_registers(warp, instruction.detail)) warp.wait_for_registers(instruction.detail);
}

Result<Handler> bind_set_registers(BindContext& context) {
  constexpr uint64_t kLeast = 24, kMost = 256, kUnit = 8;
  const auto& count = context.operands[0];
  if (!count.is_immediate || count.value < kLeast || count.value > kMost || count.value % kUnit != 0)
    return context.error("setmaxnreg needs a constant multiple of 8 from 24 to 256");
  context.instruction->detail = static_cast<uint32_t>(count.value);
  return &set_registers;
}

constexpr std::array kBindings = {
    Binding{"bra", bind_branch},
    Binding{"brx.idx", bind_branch_by_index},
    Binding{"call", bind_call},
    Binding{"ret", bind<&return_from>},
    Binding{"exit", bind<&exit_thread>},
    Binding{"trap", bind<&trap>},
    Binding{"brkpt", bind<&nothing>},
    Binding{"nanosleep", bind<&sleep>},
    Binding{"alloca", bind_alloca},
    Binding{"stacksave", bind_save_stack},
    Binding{"stackrestore", bind_restore_stack},
    Binding{"pmevent", bind<&nothing>},
    Binding{"setmaxnreg", bind_set_registers},
    Binding{"griddepcontrol", bind<&nothing>},
};

}  // namespace

std::span<const Binding> control_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
