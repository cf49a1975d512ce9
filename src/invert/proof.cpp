// SPDX-License-Identifier: MIT
#include "invert/proof.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "invert/editor.hpp"
#include "invert/operands.hpp"

namespace assay::invert {
namespace {

// Moves vanish in machine code, and ptxas folds much arithmetic of addresses.
bool is_move(const ptx::Instruction& instruction) {
  return instruction.opcode == "mov" || instruction.opcode == "cvt" || instruction.opcode == "cvta";
}

// The counts of the prepared kernel, as if as many warps had run: each begins with the first line.
std::vector<gpu::InstructionCount> as_many_warps(std::vector<gpu::InstructionCount> prepared, const Mutant& mutant,
                                                 const std::vector<gpu::InstructionCount>& counts) {
  for (size_t i = 0; i < mutant.text.lines.size(); ++i) {
    const Line& line = mutant.text.lines[i];
    if (line.instruction() == nullptr || line.origin < 0) continue;
    const uint64_t before = prepared[static_cast<size_t>(line.origin)].issued;
    if (before == 0) return prepared;
    const double factor = static_cast<double>(counts[i].issued) / static_cast<double>(before);
    for (gpu::InstructionCount& each : prepared)
      each.issued = static_cast<uint64_t>(std::llround(factor * static_cast<double>(each.issued)));
    return prepared;
  }
  return prepared;
}

}  // namespace

std::vector<gpu::InstructionCount> by_line(const std::vector<gpu::InstructionCount>& counts, const KernelText& text,
                                           const KernelText::Printed& printed) {
  std::vector<gpu::InstructionCount> result(text.lines.size());
  for (const gpu::InstructionCount& count : counts) {
    if (count.function != text.entry()) continue;
    const auto line = printed.by_line.find(count.ptx_line);
    if (line != printed.by_line.end()) result[line->second] = count;
  }
  return result;
}

CountedChange counted_change(const std::vector<gpu::InstructionCount>& before, const Mutant& mutant,
                             const std::vector<gpu::InstructionCount>& counts) {
  CountedChange change;
  const std::vector<gpu::InstructionCount> prepared =
      mutant.for_each_warp ? as_many_warps(before, mutant, counts) : before;
  std::vector<uint64_t> kept(prepared.size(), 0);
  std::set<int> spins;  // origins whose counts depend on the order of the warps
  for (const Loop& loop : innermost_loops(mutant.text.lines)) {
    if (!waits_for_mbarrier(mutant.text.lines, loop)) continue;
    for (size_t i = loop.first; i <= loop.last; ++i) spins.insert(mutant.text.lines[i].origin);
  }
  const auto differs = [&](const Line& line, uint64_t ran, double foretold) {
    if (!change.why_not.empty() || (line.origin >= 0 && spins.contains(line.origin))) return;
    change.why_not = fmt::format("{} ran {} times, {:.0f} were foretold", line.instruction()->opcode, ran, foretold);
  };
  for (size_t i = 0; i < mutant.text.lines.size(); ++i) {
    const Line& line = mutant.text.lines[i];
    if (line.instruction() == nullptr) continue;
    if (line.origin >= 0) {
      kept[static_cast<size_t>(line.origin)] += counts[i].issued;
      continue;
    }
    change.added += counts[i].issued;
    if (line.site < 0) continue;
    double foretold = static_cast<double>(prepared[static_cast<size_t>(line.site)].issued);
    if (const auto scaled = mutant.scaled.find(line.site); scaled != mutant.scaled.end()) foretold *= scaled->second;
    if (static_cast<double>(counts[i].issued) != foretold) differs(line, counts[i].issued, foretold);
  }
  for (size_t i = 0; i < prepared.size(); ++i) {
    change.before += prepared[i].issued;
    if (kept[i] < prepared[i].issued) change.removed += prepared[i].issued - kept[i];
    if (kept[i] > prepared[i].issued) change.added += kept[i] - prepared[i].issued;
  }
  for (const Line& line : mutant.text.lines) {
    if (line.instruction() == nullptr || line.origin < 0) continue;
    const auto at = static_cast<size_t>(line.origin);
    const auto scaled = mutant.scaled.find(line.origin);
    const double factor = scaled == mutant.scaled.end() ? 1 : scaled->second;
    const double foretold = std::round(factor * static_cast<double>(prepared[at].issued));
    if (static_cast<double>(kept[at]) != foretold) differs(line, kept[at], foretold);
  }
  change.exact = mutant.foretold && change.why_not.empty();
  if (!mutant.foretold) change.why_not = "the row foretells no counts";
  return change;
}

uint64_t newly_dead(const KernelText& prepared, const std::vector<gpu::InstructionCount>& counts,
                    const Mutant& mutant) {
  const std::set<size_t> before = dead_lines(prepared.lines);
  std::set<int> dead_before;
  for (const size_t i : before) dead_before.insert(prepared.lines[i].origin);
  uint64_t count = 0;
  for (const size_t i : dead_lines(mutant.text.lines)) {
    const Line& line = mutant.text.lines[i];
    if (line.origin < 0 || is_move(*line.instruction())) continue;
    if (!dead_before.contains(line.origin)) count += counts[static_cast<size_t>(line.origin)].issued;
  }
  return count;
}

TextChange text_change(const KernelText& prepared, const Mutant& mutant) {
  TextChange change;
  if (mutant.control) {
    const auto instructions = [](const KernelText& text) {
      return static_cast<size_t>(std::ranges::count_if(
          text.lines, [](const Line& line) { return line.instruction() != nullptr && !is_move(*line.instruction()); }));
    };
    const size_t before = instructions(*mutant.control);
    const size_t after = instructions(mutant.text);
    (after > before ? change.added : change.removed) = after > before ? after - before : before - after;
    return change;
  }
  std::set<int> left;
  for (const Line& line : mutant.text.lines) {
    if (line.instruction() == nullptr) continue;
    if (line.origin >= 0 && left.insert(line.origin).second) continue;
    if (!is_move(*line.instruction())) ++change.added;
  }
  for (const Line& line : prepared.lines) {
    if (line.instruction() != nullptr && !left.contains(line.origin) && !is_move(*line.instruction())) ++change.removed;
  }
  return change;
}

Judged judge(const Assembled& control, const Assembled& mutant, const Row& row, size_t added, size_t removed) {
  constexpr int64_t kInstruction = 16;  // bytes of machine code
  constexpr int64_t kPadding = 256;     // code ends at a multiple of 128 bytes, behind a loop that fills it
  const bool about_registers = row.resource == "registers and local memory";
  const bool about_occupancy = row.resource == "occupancy";
  const int64_t spilled = control.spill_bytes.value_or(0);
  const int64_t spills = mutant.spill_bytes.value_or(0);
  if (!about_registers && spills > spilled)
    return {Standing::confounded, fmt::format("{} bytes of spills instead of {}", spills, spilled)};
  if (!about_registers && !about_occupancy && row.name != "smaller_blocks" && control.blocks_per_sm &&
      mutant.blocks_per_sm && *control.blocks_per_sm != *mutant.blocks_per_sm)
    return {Standing::confounded,
            fmt::format("{} blocks on an SM instead of {} ({} registers instead of {})", *mutant.blocks_per_sm,
                        *control.blocks_per_sm, mutant.registers.value_or(0), control.registers.value_or(0))};
  if (!control.code_bytes || !mutant.code_bytes) return {};
  const int64_t grown = *mutant.code_bytes - *control.code_bytes;
  // ptxas unrolls loops and folds addresses, so only what is far off shows that an injection vanished, or that an
  // ablation took more with it than it says.
  constexpr int64_t kMany = 8;
  if (row.kind == Kind::injection && added > removed + kMany &&
      grown < kInstruction * static_cast<int64_t>(added - removed) / 2 - kPadding)
    return {Standing::vanished,
            fmt::format("{} instructions were added, and the code grew by {} bytes", added - removed, grown)};
  // Of a division ptxas makes twenty instructions and more.
  const bool meant = row.name == "no_addresses" || row.name == "no_bounds_checks" || row.name == "no_divisions";
  if (row.kind == Kind::ablation && !meant && row.name != "nothing_left" &&
      -grown > kInstruction * 4 * static_cast<int64_t>(removed) + kPadding + *control.code_bytes / 4)
    return {Standing::vanished,
            fmt::format("{} instructions were removed, and the code shrank by {} bytes", removed, -grown)};
  return {};
}

}  // namespace assay::invert
