// SPDX-License-Identifier: MIT
#include "vgpu/execute/call.hpp"

#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/system_call.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

void call_direct(Warp& warp, const Instruction& instruction) {
  const CallSite& site = warp.frame().function->calls[instruction.detail];
  warp.call(site, warp.block().grid().launch.program->functions[static_cast<size_t>(site.function)]);
}

void call_system(Warp& warp, const Instruction& instruction) {
  const CallSite& site = warp.frame().function->calls[instruction.detail];
  for_each_lane(warp.mask, [&](int lane) {
    if (!warp.block().stopped()) run_system_call(warp, site, lane);
  });
}

std::string why_not_called(const Function* callee, uint64_t target) {
  if (callee == nullptr) return fmt::format("call of address 0x{:x}, which is no function", target);
  if (callee->undecodable)
    return fmt::format("call of '{}', which cannot be executed: {}", callee->name, callee->undecodable->message);
  return fmt::format("call of '{}', which is only declared: this module does not define it", callee->name);
}

// Lanes may call different functions: those of the first lane's go now, the rest comes back to this instruction.
void call_by_address(Warp& warp, const Instruction& instruction) {
  const Program& program = *warp.block().grid().launch.program;
  const CallSite& site = warp.frame().function->calls[instruction.detail];
  const uint64_t* address = warp.row<uint64_t>(instruction.rows[0]);
  const int first = std::countr_zero(warp.mask);
  const uint64_t target = address[first];
  const uint64_t index = (target - kFunctionWindow) / (function_address(1) - function_address(0));
  const bool is_function = target >= kFunctionWindow && index < program.functions.size() &&
                           function_address(static_cast<int>(index)) == target;
  const Function* const callee = is_function ? &program.functions[index] : nullptr;
  if (callee == nullptr || callee->declared_only || callee->undecodable) {
    Finding finding;
    finding.kind = is_function ? FindingKind::undefined_function : FindingKind::illegal_address;
    finding.address = target;
    finding.message = why_not_called(callee, target);
    warp.fault(std::move(finding), first);
    return;
  }
  LaneMask same = 0;
  for_each_lane(warp.mask, [&](int lane) { same |= static_cast<LaneMask>(address[lane] == target) << lane; });
  const LaneMask others = warp.mask & ~same;
  if (others != 0) warp.repeat_later(others);
  warp.mask = same;
  warp.call(site, *callee);
}

Result<std::vector<CallSite::Copy>> copies(BindContext& context, const ptx::Operand& list) {
  std::vector<CallSite::Copy> result;
  for (const ptx::Operand& element : std::get<ptx::ListOperand>(list.value).elements) {
    const auto* name = std::get_if<ptx::Identifier>(&element.value);
    if (name == nullptr) return context.error("a call passes .param variables");
    ASSAY_TRY(const CallSite::Copy copy, context.call_parameter(name->name));
    result.push_back(copy);
  }
  return result;
}

CallSite::System system_function(const std::string& name) {
  if (name == "vprintf") return CallSite::System::vprintf;
  if (name == "__assertfail") return CallSite::System::assertfail;
  if (name == "malloc") return CallSite::System::malloc;
  if (name == "free") return CallSite::System::free;
  return CallSite::System::none;
}

bool is_list(const ptx::Operand& operand) {
  return std::holds_alternative<ptx::ListOperand>(operand.value);
}

}  // namespace

Result<Handler> bind_call(BindContext& context) {
  // {(results),} callee {, (arguments)} {, prototype or list of targets}
  const auto& operands = context.syntax->operands;
  size_t at = 0;
  CallSite site;
  if (at < operands.size() && is_list(operands[at])) {
    ASSAY_TRY(site.results, copies(context, operands[at++]));
  }
  const auto* callee = at < operands.size() ? std::get_if<ptx::Identifier>(&operands[at].value) : nullptr;
  if (callee == nullptr) return context.error("a call needs a function");
  ++at;
  if (at < operands.size() && is_list(operands[at])) {
    ASSAY_TRY(site.arguments, copies(context, operands[at++]));
  }
  context.function->needs_stack = true;
  context.instruction->detail = static_cast<uint32_t>(context.function->calls.size());
  if (auto function = context.function_named(callee->name); function) {
    site.function = *function;
    site.system = system_function(callee->name);
    // The device heap is shared by all blocks.
    if (site.system == CallSite::System::malloc || site.system == CallSite::System::free)
      context.function->communicates = true;
    const bool system = site.system != CallSite::System::none;
    if (!system && context.is_only_declared(*function)) return only_declared(context, callee->name);
    if (system) site.function = -1;
    context.function->calls.push_back(std::move(site));
    return system ? &call_system : &call_direct;
  }
  ASSAY_TRY(const BoundOperand address, context.value(ptx::Operand{*callee}, 64, false));
  context.operands.push_back(address);
  context.function->calls.push_back(std::move(site));
  return &call_by_address;
}

}  // namespace assay::vgpu
