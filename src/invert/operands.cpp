// SPDX-License-Identifier: MIT
#include "invert/operands.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "ptx/opcode_pattern.hpp"
#include "ptx/printer.hpp"

namespace assay::invert {
namespace {

using ptx::Operand;

template <class Visit>
void for_each_name(Operand& operand, const Visit& visit) {
  const auto all = [&](std::vector<Operand>& list) {
    for (Operand& each : list) for_each_name(each, visit);
  };
  if (auto* identifier = std::get_if<ptx::Identifier>(&operand.value)) visit(identifier->name);
  if (auto* negated = std::get_if<ptx::Negated>(&operand.value)) visit(negated->name);
  if (auto* vector = std::get_if<ptx::VectorOperand>(&operand.value)) all(vector->elements);
  if (auto* pair = std::get_if<ptx::PairOperand>(&operand.value)) all(pair->elements);
  if (auto* list = std::get_if<ptx::ListOperand>(&operand.value)) all(list->elements);
  if (auto* address = std::get_if<ptx::AddressOperand>(&operand.value)) {
    all(address->base);
    all(address->coordinates);
  }
}

bool is_written(const ptx::OperandPattern& pattern, const ptx::Instruction& instruction) {
  // The parity that a wait for an mbarrier is given is called p as well, and read.
  const bool result =
      pattern.name.starts_with('d') || (pattern.name.starts_with('p') && instruction.opcode != "mbarrier");
  return result && pattern.form != ptx::OperandPattern::Form::address &&
         pattern.form != ptx::OperandPattern::Form::tensor;
}

}  // namespace

void add_names(const Operand& operand, std::vector<std::string>& names) {
  Operand copy = operand;
  for_each_name(copy, [&](const std::string& name) { names.push_back(name); });
}

Registers registers_of(const ptx::Instruction& instruction) {
  Registers result;
  if (instruction.guard) result.reads.push_back(instruction.guard->predicate);
  const auto match = ptx::OpcodeMatcher::instance().match(instruction);
  result.known = match.ok() && !match->pattern->raw_operands;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const bool written =
        result.known && i < match->pattern->operands.size() && is_written(match->pattern->operands[i], instruction);
    add_names(instruction.operands[i], written ? result.writes : result.reads);
  }
  // Sums of a warpgroup's product are read as well.
  if (instruction.opcode == "wgmma")
    result.reads.insert(result.reads.end(), result.writes.begin(), result.writes.end());
  return result;
}

bool has_no_other_effect(const ptx::Instruction& instruction) {
  static constexpr std::array<std::string_view, 24> kEffects = {
      "st",   "red",   "atom",   "bar",       "barrier",    "bra",      "brx",   "ret",
      "exit", "call",  "membar", "fence",     "cp",         "mbarrier", "wgmma", "shfl",
      "vote", "match", "redux",  "nanosleep", "setmaxnreg", "stmatrix", "trap",  "activemask"};
  if (std::ranges::find(kEffects, instruction.opcode) != kEffects.end()) return false;
  if (has(instruction, "volatile") || has(instruction, "relaxed") || has(instruction, "acquire")) return false;
  const Registers registers = registers_of(instruction);
  return registers.known && !registers.writes.empty();
}

std::set<size_t> dead_lines(const std::vector<Line>& lines) {
  struct Known {
    Registers registers;
    bool removable = false;
  };
  std::map<size_t, Known> instructions;
  std::map<std::string, int> readers;
  for (size_t i = 0; i < lines.size(); ++i) {
    const ptx::Instruction* instruction = lines[i].instruction();
    if (instruction == nullptr) continue;
    Known known{registers_of(*instruction), has_no_other_effect(*instruction)};
    for (const std::string& name : known.registers.reads) {
      // A sum that only feeds itself is needed by nobody.
      const bool own =
          known.removable && std::ranges::find(known.registers.writes, name) != known.registers.writes.end();
      if (!own) ++readers[name];
    }
    instructions[i] = std::move(known);
  }
  std::set<size_t> dead;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [i, known] : instructions) {
      if (!known.removable || dead.contains(i)) continue;
      const bool needed =
          std::ranges::any_of(known.registers.writes, [&](const std::string& name) { return readers[name] > 0; });
      if (needed) continue;
      dead.insert(i);
      changed = true;
      for (const std::string& name : known.registers.reads) {
        const bool own = std::ranges::find(known.registers.writes, name) != known.registers.writes.end();
        if (!own) --readers[name];
      }
    }
  }
  return dead;
}

std::string address_register(const Operand& operand) {
  const auto* address = std::get_if<ptx::AddressOperand>(&operand.value);
  if (address == nullptr || address->base.empty()) return "";
  const auto* name = std::get_if<ptx::Identifier>(&address->base.front().value);
  return name != nullptr && name->name.starts_with('%') ? name->name : "";
}

std::string operand_text(const ptx::Instruction& instruction, size_t at) {
  return ptx::print(instruction.operands.at(at));
}

int rename(ptx::Instruction& instruction, std::string_view from, const std::string& to) {
  int count = 0;
  for (Operand& operand : instruction.operands) {
    for_each_name(operand, [&](std::string& name) {
      if (name != from) return;
      name = to;
      ++count;
    });
  }
  return count;
}

}  // namespace assay::invert
