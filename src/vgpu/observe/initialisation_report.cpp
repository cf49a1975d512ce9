// SPDX-License-Identifier: MIT
// What the initialisation check says: where a value that nothing wrote was first read, and where it matters.
#include <fmt/format.h>
#include <utility>

#include "vgpu/machine/access_fault.hpp"
#include "vgpu/observe/block_initialisation_check.hpp"

namespace assay::vgpu {
namespace {

std::string place_text(const Finding& finding) {
  const SourceLine* const line = user_line(finding);
  return line != nullptr ? fmt::format("{}:{}", line->file, line->line) : fmt::format("PTX line {}", finding.ptx_line);
}

}  // namespace

Code BlockInitialisationCheck::remember(const Warp& warp, const Instruction& instruction, AccessKind kind, int lane,
                                        uint64_t address, uint64_t missing, Space space, const auto& describe) {
  const Function& function = *warp.frame().function;
  const std::tuple key{block.grid().launch.program->index_of(function), function.index_of(instruction), kind};
  auto known = origin_codes_.find(key);
  if (known == origin_codes_.end()) {
    constexpr size_t kMost = code::kLastOrigin - code::kFirstOrigin + 1;
    if (origins_.size() == kMost) return code::kLastOrigin;  // beyond so many they are taken together
    origins_.push_back(
        {placed(warp.describe(instruction, lane), describe()), space == Space::shared, &warp, 0, {}, {}});
    known = origin_codes_.emplace(key, static_cast<Code>(code::kFirstOrigin + origins_.size() - 1)).first;
  }
  Origin& origin = origins_[known->second - code::kFirstOrigin];
  if (origin.warp != &warp) origin.lanes = 0;
  origin.warp = &warp;
  const LaneMask one = LaneMask{1} << lane;
  const bool same_read = (origin.lanes & one) != 0 && origin.addresses[static_cast<size_t>(lane)] == address;
  if (!same_read) origin.missing[static_cast<size_t>(lane)] = missing;
  origin.lanes |= one;
  origin.addresses[static_cast<size_t>(lane)] = address;
  return known->second;
}

Code BlockInitialisationCheck::origin(const Access& access, int lane, Code why, uint64_t byte) {
  const uint64_t address = access.addresses[lane];
  return remember(access.warp, access.instruction, access.kind, lane, address, address + byte, access.space, [&] {
    Finding problem;
    problem.kind = FindingKind::uninitialised;
    problem.access = access.kind;
    problem.space = access.space;
    problem.address = address;
    problem.bytes = access.bytes;
    problem.message =
        fmt::format("read of {} bytes of {} memory, {}", access.bytes, to_string(access.space),
                    why == code::kUnderWay ? "which an asynchronous copy is still to bring: nothing has waited for it"
                                           : "which nothing has written");
    problem.allocation = place_of(access.warp, access.space, address + byte);
    return problem;
  });
}

Code BlockInitialisationCheck::unwritten_register(void* self, const ExecutedStep& step, size_t operand, int lane) {
  return static_cast<BlockInitialisationCheck*>(self)->remember(
      step.warp, step.instruction, AccessKind::none, lane, 0, 0, Space::generic, [&] {
        Finding problem;
        problem.kind = FindingKind::uninitialised;
        problem.message =
            fmt::format("operand {} of the instruction is a register that nothing has written", operand + 1);
        return problem;
      });
}

void BlockInitialisationCheck::check_result(const Access& access, int lane, std::span<const Code> codes) {
  if (access.space != Space::global && access.kind != AccessKind::async_read) return;
  for (const Code each : codes) {
    if (each < code::kFirstOrigin) continue;
    const bool from_shared = origins_[code::origin(each) - code::kFirstOrigin].in_shared;
    if (!code::is_computed(each) && !from_shared) continue;
    report(access.warp, access.instruction, lane, each, "the value goes into a result");
    return;
  }
}

void BlockInitialisationCheck::report(const Warp& warp, const Instruction& instruction, int lane, Code value,
                                      std::string_view what) {
  if (value < code::kFirstOrigin) return;
  const Origin& origin = origins_[code::origin(value) - code::kFirstOrigin];
  Finding finding = origin.first;
  const Finding here = warp.describe(instruction, lane);
  // The thread is the one that read, where that is known: this one, or the first of all.
  if (origin.warp == &warp && (origin.lanes >> lane & 1) != 0) {
    finding.thread = here.thread;
    finding.address = origin.addresses[static_cast<size_t>(lane)];
    if (finding.access != AccessKind::none)
      finding.allocation = place_of(warp, finding.space, origin.missing[static_cast<size_t>(lane)]);
  }
  finding.message += fmt::format("; {}", what);
  if (here.ptx_line != finding.ptx_line) finding.message += fmt::format(" at {}", place_text(here));
  found.add(std::move(finding));
}

}  // namespace assay::vgpu
