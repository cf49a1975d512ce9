// SPDX-License-Identifier: MIT
// Barriers, branches and loops.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "invert/editor.hpp"
#include "invert/families.hpp"
#include "invert/operands.hpp"
#include "invert/steering.hpp"
#include "ptx/printer.hpp"

namespace assay::invert {
namespace {

std::string target_of(const ptx::Instruction& branch) {
  if (branch.opcode != "bra" || branch.operands.empty()) return "";
  const auto* name = std::get_if<ptx::Identifier>(&branch.operands.front().value);
  return name == nullptr ? "" : name->name;
}

// Lanes of a warp may execute it apart from each other.
bool is_for_each_lane(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 22> kTogether = {
      "bar",      "barrier", "bra",   "brx",   "ret",        "exit",      "call",     "shfl",
      "vote",     "match",   "redux", "mma",   "wmma",       "wgmma",     "ldmatrix", "stmatrix",
      "mbarrier", "cp",      "fence", "elect", "setmaxnreg", "activemask"};
  return std::ranges::find(kTogether, instruction.opcode) == kTogether.end();
}

// A run of lines that each lane can execute by itself.
struct Run {
  size_t first = 0;
  size_t last = 0;  // behind it
  size_t instructions = 0;
};
std::vector<Run> runs_in(const std::vector<Line>& lines, size_t first, size_t last) {
  std::vector<Run> runs;
  Run run{first, first, 0};
  const auto close = [&](size_t end) {
    constexpr size_t kWorth = 3;
    run.last = end;
    if (run.instructions >= kWorth) runs.push_back(run);
    run = {end + 1, end + 1, 0};
  };
  for (size_t i = first; i < last; ++i) {
    const ptx::Instruction* instruction = lines[i].instruction();
    const bool place = std::get_if<ptx::Location>(&lines[i].statement.value) != nullptr;
    const bool fits =
        lines[i].kind == Line::Kind::statement &&
        (place || (instruction != nullptr && is_for_each_lane(*instruction) && !is_prepared_line(lines[i])));
    if (!fits) {
      close(i);
    } else if (instruction != nullptr) {
      ++run.instructions;
    }
  }
  close(last);
  return runs;
}

// The warp's own number among all warps, spread over 16 bits.
std::string spread_warp_number(const Facts& facts) {
  const uint64_t warps = (facts.block.volume() + 31) / 32;
  return fmt::format(
      "mov.u32 %assay_s0, %ctaid.z;\nmov.u32 %assay_s1, %ctaid.y;\nmad.lo.u32 %assay_s0, %assay_s0, {}, %assay_s1;\n"
      "mov.u32 %assay_s1, %ctaid.x;\nmad.lo.u32 %assay_s0, %assay_s0, {}, %assay_s1;\n"
      "mov.u32 %assay_s1, %tid.z;\nmov.u32 %assay_s2, %tid.y;\nmad.lo.u32 %assay_s1, %assay_s1, {}, %assay_s2;\n"
      "mov.u32 %assay_s2, %tid.x;\nmad.lo.u32 %assay_s1, %assay_s1, {}, %assay_s2;\n"
      "shr.u32 %assay_s1, %assay_s1, 5;\nmad.lo.u32 %assay_s0, %assay_s0, {}, %assay_s1;\n"
      "mul.lo.u32 %assay_s0, %assay_s0, 2654435761;\nshr.u32 %assay_hash, %assay_s0, 16;\n",
      facts.grid.y, facts.grid.x, facts.block.y, facts.block.x, warps);
}

// Where a line of the prepared kernel stands in it.
size_t at_line(const KernelText& prepared, const Line& line) {
  return static_cast<size_t>(std::ranges::find(prepared.lines, line.origin, &Line::origin) - prepared.lines.begin());
}

}  // namespace

// Where warps only arrive at some barriers, those that the whole block waits at are left.
Outcome more_barriers(const KernelText& prepared, const Facts&, int dose) {
  const Steering steering(prepared.lines);
  bool handed_over = false;
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_block_barrier(instruction)) return std::nullopt;
    if (steering.barriers_are_handed_over() &&
        !(instruction.operands.size() == 1 && operand_text(instruction, 0) == "0")) {
      handed_over = true;
      return std::nullopt;
    }
    Edit edit;
    for (int i = 0; i < dose; ++i) edit.after += ptx::print(instruction) + "\n";
    return edit;
  });
  return editor.finish(handed_over ? "warps hand their barriers to each other (bar.arrive): a wait needs its arrival"
                                   : "the kernel has no barriers of the block");
}

// A chain of dependent additions in the first warp of the block: the others wait for it.
Outcome skewed_warps(const KernelText& prepared, const Facts& facts, int dose) {
  if (facts.block.volume() <= 32) return "a block of one warp waits for nobody";
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("pred", "%assay_first");
  text.declare("b32", "%assay_s0");
  text.declare("b32", "%assay_s1");
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_block_barrier(instruction)) return std::nullopt;
    constexpr int kLinks = 16;
    const std::string behind = text.fresh_label();
    Edit edit;
    edit.before = fmt::format("@!%assay_first bra {};\n", behind);
    for (int i = 0; i < kLinks * dose; ++i)
      edit.before += fmt::format("add.rn.f32 {0}, {0}, {1};\n", dummy(0), kUnknown);
    edit.before += behind + ":\n";
    edit.loose = true;
    return edit;
  });
  editor.begin_with(
      "mov.u32 %assay_s0, %tid.x;\nmov.u32 %assay_s1, %tid.y;\nshl.b32 %assay_s1, %assay_s1, 5;\n"
      "add.u32 %assay_s0, %assay_s0, %assay_s1;\nmov.u32 %assay_s1, %tid.z;\nshl.b32 %assay_s1, %assay_s1, 5;\n"
      "add.u32 %assay_s0, %assay_s0, %assay_s1;\nsetp.lt.u32 %assay_first, %assay_s0, 32;");
  return editor.finish("the kernel has no barriers of the block");
}

// Even lanes, then odd ones: the same lines twice, each for half a warp.
Outcome diverged(const KernelText& prepared, const Facts&, int) {
  std::vector<Run> runs;
  for (const Loop& loop : innermost_loops(prepared.lines)) {
    for (const Run& run : runs_in(prepared.lines, loop.first + 1, loop.last)) runs.push_back(run);
  }
  if (runs.empty()) runs = runs_in(prepared.lines, 0, prepared.lines.size());
  if (runs.empty()) return "there are no instructions that lanes could execute apart";
  Editor editor(prepared);
  KernelText& text = editor.text();
  text.declare("pred", "%assay_odd");
  text.declare("b32", "%assay_s0");
  std::vector<Line> lines;
  for (size_t i = 0; i < prepared.lines.size(); ++i) {
    const auto begins = std::ranges::find(runs, i, &Run::first);
    if (begins == runs.end()) {
      lines.push_back(prepared.lines[i]);
      continue;
    }
    const std::string odd = text.fresh_label();
    const std::string behind = text.fresh_label();
    int site = -1;
    SourcePlace place;
    for (size_t k = begins->first; k < begins->last && site < 0; ++k) {
      if (prepared.lines[k].instruction() == nullptr) continue;
      site = prepared.lines[k].origin;
      place = prepared.lines[k].place;
    }
    editor.mutant().sites.push_back(place);
    const auto add = [&](const std::string& ptx) {
      for (Line& line : lines_of(ptx, site, place)) lines.push_back(std::move(line));
    };
    add(fmt::format("@%assay_odd bra {};\n", odd));
    for (size_t k = begins->first; k < begins->last; ++k) lines.push_back(prepared.lines[k]);
    add(fmt::format("bra {};\n{}:\n", behind, odd));
    for (size_t k = begins->first; k < begins->last; ++k) {
      Line copy = prepared.lines[k];
      copy.site = copy.origin;
      copy.origin = -1;
      lines.push_back(std::move(copy));
    }
    add(behind + ":\n");
    i = begins->last - 1;
  }
  text.lines = std::move(lines);
  editor.begin_with(
      "mov.u32 %assay_s0, %laneid;\nand.b32 %assay_s0, %assay_s0, 1;\nsetp.ne.u32 %assay_odd, %assay_s0, 0;");
  return editor.finish("");
}

// Copies of the body behind each other, each with its way out: as many instructions run as before.
Outcome larger_code(const KernelText& prepared, const Facts&, int dose) {
  Editor editor(prepared);
  KernelText& text = editor.text();
  std::vector<Loop> loops = innermost_loops(prepared.lines);
  std::erase_if(loops, [&](const Loop& loop) {
    return !prepared.lines[loop.last].instruction()->guard || waits_for_mbarrier(prepared.lines, loop);
  });
  std::vector<Line> lines;
  for (size_t i = 0; i < prepared.lines.size(); ++i) {
    const auto loop = std::ranges::find(loops, i, &Loop::first);
    lines.push_back(prepared.lines[i]);
    if (loop == loops.end()) continue;
    editor.mutant().sites.push_back(prepared.lines[loop->last].place);
    const std::string out = text.fresh_label();
    for (int copy = 0; copy <= dose; ++copy) {
      std::map<std::string, std::string> renamed;
      for (size_t k = loop->first + 1; k < loop->last && copy > 0; ++k) {
        if (const ptx::Label* label = prepared.lines[k].label()) renamed[label->name] = text.fresh_label();
      }
      for (size_t k = loop->first + 1; k <= loop->last; ++k) {
        Line line = prepared.lines[k];
        if (auto* label = std::get_if<ptx::Label>(&line.statement.value)) {
          if (renamed.contains(label->name)) label->name = renamed[label->name];
        }
        if (ptx::Instruction* instruction = line.instruction()) {
          for (const auto& [from, to] : renamed) rename(*instruction, from, to);
          if (k == loop->last && copy < dose) {
            instruction->guard->negated = !instruction->guard->negated;
            rename(*instruction, target_of(*instruction), out);
          }
        }
        lines.push_back(std::move(line));
      }
    }
    for (Line& line : lines_of(out + ":\n", -1)) lines.push_back(std::move(line));
    i = loop->last;
  }
  text.lines = std::move(lines);
  return editor.finish("the kernel has no loop with a guarded branch back");
}

Outcome no_barriers(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line&, int) -> std::optional<Edit> {
    if (!is_block_barrier(instruction)) return std::nullopt;
    return Edit{.removed = true};
  });
  return editor.finish("the kernel has no barriers of the block");
}

// A way out after half the rounds. How many there are was counted; the limit is in constant memory, so that the
// control, whose limit is never reached, has the same instructions.
Outcome half_the_loop(const KernelText& prepared, const Facts& facts, int) {
  struct Candidate {
    Loop loop;
    double rounds = 0;
    uint64_t weight = 0;
  };
  std::optional<Candidate> best;
  for (const Loop& loop : innermost_loops(prepared.lines)) {
    const Line& branch = prepared.lines[loop.last];
    const gpu::InstructionCount* count = count_of(facts, branch);
    if (!branch.instruction()->guard || count == nullptr || count->path_lanes == 0) continue;
    if (waits_for_mbarrier(prepared.lines, loop)) continue;
    const double lanes = static_cast<double>(count->path_lanes) / static_cast<double>(count->issued);
    const double taken = static_cast<double>(count->lanes) / lanes;
    const double entered = static_cast<double>(count->issued) - taken;
    if (entered <= 0.5) continue;
    Candidate candidate{loop, static_cast<double>(count->issued) / entered, 0};
    for (size_t i = loop.first; i <= loop.last; ++i) {
      if (const gpu::InstructionCount* each = count_of(facts, prepared.lines[i])) candidate.weight += each->issued;
    }
    if (!best || candidate.weight > best->weight) best = candidate;
  }
  if (!best) return "the kernel has no loop whose rounds are counted";
  const double rounds = std::round(best->rounds);
  if (rounds < 2 || std::abs(rounds - best->rounds) > 1e-6) return "warps go through the loop differently often";
  const auto half = static_cast<uint32_t>(rounds) / 2;
  const auto make = [&](uint32_t limit) {
    Editor editor(prepared);
    KernelText& text = editor.text();
    text.declare_variable(fmt::format("const .align 4 .b32 assay_rounds = {}", limit));
    text.declare("b32", "%assay_round");
    text.declare("b32", "%assay_limit");
    text.declare("pred", "%assay_over");
    const std::string out = text.fresh_label();
    std::vector<Line> lines;
    for (size_t i = 0; i < prepared.lines.size(); ++i) {
      const Line& line = prepared.lines[i];
      const auto add = [&](const std::string& ptx, int site) {
        for (Line& added : lines_of(ptx, site, line.place)) lines.push_back(std::move(added));
      };
      if (i == best->loop.first) add("mov.u32 %assay_round, 0;", -1);
      if (i == best->loop.last) {
        add(fmt::format("add.u32 %assay_round, %assay_round, 1;\nsetp.ge.u32 %assay_over, %assay_round, %assay_limit;\n"
                        "@%assay_over bra {};\n",
                        out),
            -1);
      }
      lines.push_back(line);
      if (i == best->loop.last) add(out + ":", -1);
    }
    text.lines = std::move(lines);
    editor.begin_with("ld.const.b32 %assay_limit, [assay_rounds];");
    return std::move(editor.mutant());
  };
  Mutant mutant = make(half);
  mutant.sites.push_back(prepared.lines[best->loop.last].place);
  for (size_t i = best->loop.first; i <= best->loop.last; ++i) {
    // The branch back is not reached in the last of the rounds that are left.
    const double left = i == best->loop.last ? (half - 1) / rounds : half / rounds;
    mutant.scaled[prepared.lines[i].origin] = left;
  }
  mutant.control = make(0xffff'ffffU).text;
  return mutant;
}

// Every thread leaves at once, which ptxas cannot know: grid, registers and shared memory are those of the kernel.
Outcome nothing_left(const KernelText& prepared, const Facts&, int) {
  Editor editor(prepared);
  editor.begin_with(fmt::format("@!{} ret;", kNever));
  bool behind = false;
  for (const Line& line : editor.text().lines) {
    if (behind && line.origin >= 0) editor.mutant().scaled[line.origin] = 0;
    behind = behind || (line.origin < 0 && line.instruction() != nullptr && line.instruction()->opcode == "ret");
  }
  editor.mutant().sites.push_back({});
  return editor.finish("");
}

// Branches that no lane takes at this shape.
Outcome no_bounds_checks(const KernelText& prepared, const Facts& facts, int) {
  std::map<std::string, size_t> labels;
  for (size_t i = 0; i < prepared.lines.size(); ++i) {
    if (const ptx::Label* label = prepared.lines[i].label()) labels[label->name] = i;
  }
  const Steering steering(prepared.lines);
  Editor editor(prepared);
  editor.change([&](const ptx::Instruction& instruction, const Line& line, int) -> std::optional<Edit> {
    const gpu::InstructionCount* count = count_of(facts, line);
    const std::string target = target_of(instruction);
    if (count == nullptr || target.empty() || !instruction.guard || steering.waits(instruction)) return std::nullopt;
    const auto label = labels.find(target);
    const bool forward = label != labels.end() && prepared.lines[label->second].origin > line.origin;
    if (!forward || count->lanes > 0 || count->path_lanes == 0) return std::nullopt;
    return Edit{.removed = true};
  });
  if (editor.mutant().sites.empty()) return "every branch forward is taken by some lane, or there is none";
  editor.remove_dead_code();
  return editor.finish("");
}

// Where lanes of a warp part, whole warps do instead, as large a share of them.
Outcome converged(const KernelText& prepared, const Facts& facts, int) {
  std::map<std::string, size_t> labels;
  for (size_t i = 0; i < prepared.lines.size(); ++i) {
    if (const ptx::Label* label = prepared.lines[i].label()) labels[label->name] = i;
  }
  const Steering steering(prepared.lines);
  bool kept = false;
  Editor editor(prepared);
  KernelText& text = editor.text();
  for (const char* name : {"%assay_s0", "%assay_s1", "%assay_s2", "%assay_hash"}) text.declare("b32", name);
  text.declare("pred", "%assay_part");
  editor.change([&](const ptx::Instruction& instruction, const Line& line, int number) -> std::optional<Edit> {
    const gpu::InstructionCount* count = count_of(facts, line);
    const std::string target = target_of(instruction);
    if (count == nullptr || target.empty() || !instruction.guard || count->divergent == 0) return std::nullopt;
    const auto label = labels.find(target);
    const bool forward = label != labels.end() && prepared.lines[label->second].origin > line.origin;
    constexpr double kOften = 0.1;  // of the executions
    if (!forward || static_cast<double>(count->divergent) < kOften * static_cast<double>(count->issued))
      return std::nullopt;
    if (steering.is_kept_between(prepared.lines, at_line(prepared, line) + 1, label->second)) {
      kept = true;
      return std::nullopt;
    }
    const double share = static_cast<double>(count->lanes) / static_cast<double>(count->path_lanes);
    const std::string wanted = scratch(text, 32, 0);
    Edit edit;
    edit.removed = true;
    edit.before = fmt::format("selp.b32 {0}, 1, 0, {1};\nxor.b32 {2}, {2}, {0};\n", wanted,
                              instruction.guard->predicate, dummy(number));
    edit.before += fmt::format("setp.lt.u32 %assay_part, %assay_hash, {};\n@%assay_part bra {};\n",
                               static_cast<uint32_t>(std::lround(share * 65536)), target);
    return edit;
  });
  if (editor.mutant().sites.empty() && kept)
    return "branches that part lanes choose who arrives, waits or starts a copy: that is the kernel's protocol";
  if (editor.mutant().sites.empty()) return "no branch forward parts the lanes of a warp";
  editor.begin_with(spread_warp_number(facts));
  editor.mutant().foretold = false;
  return editor.finish("");
}

}  // namespace assay::invert
