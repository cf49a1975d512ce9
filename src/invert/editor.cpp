// SPDX-License-Identifier: MIT
#include "invert/editor.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

#include "invert/operands.hpp"
#include "ptx/type.hpp"

namespace assay::invert {
namespace {

bool names_ours(const ptx::Instruction& instruction) {
  std::vector<std::string> names;
  if (instruction.guard) names.push_back(instruction.guard->predicate);
  for (const ptx::Operand& operand : instruction.operands) add_names(operand, names);
  return std::ranges::any_of(
      names, [](const std::string& name) { return name.starts_with("%assay_") || name.starts_with("assay_"); });
}

}  // namespace

bool is_prepared_line(const Line& line) {
  return line.instruction() != nullptr && names_ours(*line.instruction());
}

int Editor::change(const Rewrite& rewrite) {
  std::vector<Line> lines;
  int changed = 0;
  for (Line& line : mutant_.text.lines) {
    const ptx::Instruction* instruction = line.instruction();
    if (instruction == nullptr || line.origin < 0 || is_prepared_line(line)) {
      lines.push_back(std::move(line));
      continue;
    }
    const std::optional<Edit> edit = rewrite(*instruction, line, changed);
    if (!edit) {
      lines.push_back(std::move(line));
      continue;
    }
    ++changed;
    const int site = line.origin;
    const SourcePlace place = line.place;
    if (edit->is_site) mutant_.sites.push_back(place);
    const size_t first = lines.size();
    for (Line& added : lines_of(edit->before, site, place)) lines.push_back(std::move(added));
    for (size_t i = first + 1; edit->loose && i < lines.size(); ++i) lines[i].site = -1;
    if (!edit->removed) lines.push_back(std::move(line));
    for (Line& added : lines_of(edit->after, site, place)) lines.push_back(std::move(added));
  }
  mutant_.text.lines = std::move(lines);
  return changed;
}

void Editor::begin_with(const std::string& ptx) {
  std::vector<Line>& lines = mutant_.text.lines;
  // Behind the last line of the preparation at the beginning: the load of the last dummy register.
  const std::string last = dummy(kDummies - 1);
  const auto at = std::ranges::find_if(lines, [&](const Line& line) {
    const ptx::Instruction* instruction = line.instruction();
    if (instruction == nullptr || instruction->opcode != "ld" || instruction->operands.empty()) return false;
    const auto* name = std::get_if<ptx::Identifier>(&instruction->operands.front().value);
    return name != nullptr && name->name == last;
  });
  if (at == lines.end()) return;
  const int site = at->origin;
  const auto added = lines_of(ptx, site, at->place);
  // Behind what was put there before, so that one thing may build on another.
  auto behind = at + 1;
  while (behind != lines.end() && behind->origin < 0 && behind->site == site) ++behind;
  lines.insert(behind, added.begin(), added.end());
}

int Editor::replace_special(std::string_view special, const std::string& name) {
  int count = 0;
  for (Line& line : mutant_.text.lines) {
    if (line.instruction() == nullptr || line.origin < 0) continue;
    const int here = rename(*line.instruction(), special, name);
    if (here > 0) mutant_.sites.push_back(line.place);
    count += here;
  }
  return count;
}

void Editor::remove_dead_code() {
  const std::set<size_t> dead = dead_lines(mutant_.text.lines);
  std::vector<Line> lines;
  for (size_t i = 0; i < mutant_.text.lines.size(); ++i) {
    if (!dead.contains(i)) lines.push_back(std::move(mutant_.text.lines[i]));
  }
  mutant_.text.lines = std::move(lines);
  mutant_.needs_dead_code_gone = true;
}

Outcome Editor::finish(std::string_view nothing_found) {
  if (mutant_.sites.empty()) return std::string(nothing_found);
  return std::move(mutant_);
}

std::optional<std::string> results_from(const KernelText& text, const ptx::Instruction& load, const std::string& name) {
  std::vector<std::string> results;
  add_names(load.operands.at(0), results);
  const std::string guard = guard_text(load);
  std::string moves;
  for (const std::string& result : results) {
    const int width = text.width_of(result);
    if (width == 32) {
      moves += fmt::format("{}mov.b32 {}, {};\n", guard, result, name);
    } else if (width == 64) {
      moves += fmt::format("{}mov.b64 {}, {{{}, {}}};\n", guard, result, name, name);
    } else if (width == 16) {
      moves += fmt::format("{}cvt.u16.u32 {}, {};\n", guard, result, name);
    } else {
      return std::nullopt;
    }
  }
  return moves;
}

int bits_of(const std::string& type) {
  if (type == "f16x2" || type == "bf16x2") return 32;
  if (type == "bf16") return 16;
  if (type == "pred") return 1;
  size_t digits = 0;
  while (digits < type.size() && (type[digits] < '0' || type[digits] > '9')) ++digits;
  int bits = 0;
  std::from_chars(type.data() + digits, type.data() + type.size(), bits);
  return bits;
}

std::string scratch(KernelText& text, int width, int number) {
  const bool wide = width == 64;
  const bool half = width <= 16;
  std::string name = fmt::format("%assay_{}{}", wide ? "y" : half ? "h" : "x", number);
  text.declare(wide ? "b64" : half ? "b16" : "b32", name);
  return name;
}

std::string scratch_results(KernelText& text, const std::string& type, int count) {
  const int bits = bits_of(type);
  if (bits == 0 || bits > 64) return "";
  std::string names;
  for (int i = 0; i < count; ++i) names += fmt::format("{}{}", i == 0 ? "" : ", ", scratch(text, bits, i));
  return count == 1 ? names : "{" + names + "}";
}

std::string use_result(KernelText& text, const std::string& type, int rotation) {
  const int bits = bits_of(type);
  const std::string result = scratch(text, bits, 0);
  if (bits == 32) return fmt::format("xor.b32 {0}, {0}, {1};\n", dummy(rotation), result);
  const std::string word = scratch(text, 32, 7);
  return fmt::format("cvt.u32.u{0} {1}, {2};\nxor.b32 {3}, {3}, {1};\n", bits == 64 ? 64 : 16, word, result,
                     dummy(rotation));
}

std::string type_modifier(const ptx::Instruction& instruction) {
  // Mostly the last modifier; ptxas also takes "red.global.f32.add".
  const auto& modifiers = instruction.modifiers;
  const auto type = std::find_if(modifiers.rbegin(), modifiers.rend(),
                                 [](const std::string& word) { return ptx::type_named(word).has_value(); });
  if (type != modifiers.rend()) return *type;
  return modifiers.empty() ? "" : modifiers.back();
}

int vector_length(const ptx::Instruction& instruction) {
  return has(instruction, "v8") ? 8 : has(instruction, "v4") ? 4 : has(instruction, "v2") ? 2 : 1;
}

int access_bytes(const ptx::Instruction& instruction) {
  return bits_of(type_modifier(instruction)) / 8 * vector_length(instruction);
}

bool is_load(const ptx::Instruction& instruction, std::string_view space) {
  if (instruction.opcode != "ld" || instruction.operands.size() < 2 || has(instruction, "mmio")) return false;
  return has(instruction, space) || (space == "shared" && has(instruction, "shared::cta"));
}

bool is_store(const ptx::Instruction& instruction, std::string_view space) {
  if (instruction.opcode != "st" || instruction.operands.size() < 2 || has(instruction, "async") ||
      has(instruction, "mmio"))
    return false;
  return has(instruction, space) || (space == "shared" && has(instruction, "shared::cta"));
}

bool is_product(const ptx::Instruction& instruction) {
  return instruction.opcode == "mma" || (instruction.opcode == "wgmma" && has(instruction, "mma_async")) ||
         (instruction.opcode == "wmma" && has(instruction, "mma"));
}

bool is_block_barrier(const ptx::Instruction& instruction) {
  if (instruction.opcode != "bar" && instruction.opcode != "barrier") return false;
  return has(instruction, "sync") && !has(instruction, "warp") && !has(instruction, "cluster");
}

bool is_special_function(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 8> kNames = {"ex2",  "lg2", "rcp", "rsqrt",
                                                             "sqrt", "sin", "cos", "tanh"};
  const std::string type = type_modifier(instruction);
  if (type != "f32" && type != "f16x2" && type != "f16" && type != "bf16x2" && type != "bf16") return false;
  return std::ranges::find(kNames, instruction.opcode) != kNames.end();
}

std::vector<Loop> loops_of(const std::vector<Line>& lines) {
  std::map<std::string, size_t> labels;
  std::map<size_t, Loop> loops;  // by label
  for (size_t i = 0; i < lines.size(); ++i) {
    if (const ptx::Label* label = lines[i].label()) labels[label->name] = i;
    const ptx::Instruction* instruction = lines[i].instruction();
    if (instruction == nullptr || instruction->opcode != "bra" || instruction->operands.empty()) continue;
    const auto* target = std::get_if<ptx::Identifier>(&instruction->operands.front().value);
    if (target == nullptr) continue;
    const auto found = labels.find(target->name);
    if (found != labels.end()) loops[found->second] = {found->second, i};  // the last branch back is its end
  }
  std::vector<Loop> result;
  for (const auto& [label, loop] : loops) result.push_back(loop);
  return result;
}

std::vector<Loop> innermost_loops(const std::vector<Line>& lines) {
  const std::vector<Loop> all = loops_of(lines);
  std::vector<Loop> result;
  for (const Loop& loop : all) {
    const bool outer =
        std::ranges::any_of(all, [&](const Loop& other) { return other.first > loop.first && other.last < loop.last; });
    if (!outer) result.push_back(loop);
  }
  return result;
}

bool waits_for_mbarrier(const std::vector<Line>& lines, const Loop& loop) {
  for (size_t i = loop.first; i <= loop.last; ++i) {
    if (lines[i].instruction() != nullptr && lines[i].instruction()->opcode == "mbarrier") return true;
  }
  return false;
}

const gpu::InstructionCount* count_of(const Facts& facts, const Line& line) {
  if (line.origin < 0 || static_cast<size_t>(line.origin) >= facts.counts.size()) return nullptr;
  const gpu::InstructionCount& count = facts.counts[static_cast<size_t>(line.origin)];
  return count.issued > 0 ? &count : nullptr;
}

}  // namespace assay::invert
