// SPDX-License-Identifier: MIT
#include "vgpu/observe/shared_bounds.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace assay::vgpu {
namespace {

// What a register may hold: the address of one variable (where that begins), or one of these.
using Origin = uint32_t;
constexpr Origin kNotYet = kNoRow - 2;  // no instruction that writes it has been seen
constexpr Origin kNone = kNoRow - 1;    // no address of a variable: an index, a size, or what came from memory
constexpr Origin kSeveral = kNoRow;     // of different variables, or not followed

bool is_variable(Origin origin) {
  return origin < kNotYet;
}
// Of a register that is written in two places.
Origin either(Origin a, Origin b) {
  if (a == kNotYet || a == b) return b;
  return b == kNotYet ? a : kSeveral;
}
// Of an address and an index, in this order or the other.
Origin sum(Origin a, Origin b) {
  if (a == kNotYet || b == kNotYet) return kNotYet;
  if (a == kNone) return b;
  return b == kNone ? a : kSeveral;
}

enum class Rule : uint8_t {
  from_memory,  // nothing is known of it
  copy,         // of operand 1
  add,          // of operands 1 and 2
  subtract,
  multiply_add,  // of operand 3, if the others are indices
  select,        // of operands 1 or 2
  other,         // an index of indices
};

Rule rule_of(std::string_view opcode) {
  const std::string_view name = opcode.substr(0, opcode.find('.'));
  const auto is = [&](auto... names) { return ((name == std::string_view(names)) || ...); };
  if (is("mov", "cvta", "cvt", "shfl")) return Rule::copy;
  if (is("add", "and", "or", "xor")) return Rule::add;
  if (is("sub")) return Rule::subtract;
  if (is("mad")) return Rule::multiply_add;
  if (is("selp", "min", "max")) return Rule::select;
  return is("ld", "ldu", "atom", "call") ? Rule::from_memory : Rule::other;
}

class Origins {
 public:
  Origins(const Program& program, const Function& function)
      : function_(function), rules_(program.opcodes.size()), origins_(function.frame_bytes / kWord + 1, kNotYet) {
    for (size_t i = 0; i < rules_.size(); ++i) rules_[i] = rule_of(program.opcodes[i]);
    // Special registers and addresses of local variables are written when the frame is made.
    for (const SpecialRow& row : function.special_rows) origins_[row.row / kWord] = kNone;
    for (const LocalRow& row : function.local_rows) origins_[row.row / kWord] = kNone;
    while (pass()) {
    }
  }

  Origin of(const Instruction& instruction, size_t operand) const {
    const uint32_t row = instruction.rows[operand];
    const RowInfo& info = function_.info_of(instruction)[operand];
    if (row == kNoRow || info.bytes == 0) return kNone;
    if ((row & kConstantRow) != 0) return info.shared_variable != kNoRow ? info.shared_variable : kNone;
    return origins_[row / kWord];
  }

 private:
  static constexpr uint32_t kWord = 64;  // rows of registers begin at multiples of it

  // True: something has changed. Origins only ever rise, so that this ends.
  bool pass() {
    bool changed = false;
    for (size_t i = 0; i < function_.code.size(); ++i) {
      const Instruction& instruction = function_.code[i];
      const InstructionOrigin& origin = function_.origins[i];
      for (size_t result = 0; result < origin.written; ++result) {
        const uint32_t row = instruction.rows[result];
        if (row == kNoRow || (row & kConstantRow) != 0 || function_.info_of(instruction)[result].bytes == 0) continue;
        Origin& known = origins_[row / kWord];
        const Origin now = either(known, computed(instruction, origin));
        changed |= now != known;
        known = now;
      }
    }
    return changed;
  }

  Origin computed(const Instruction& instruction, const InstructionOrigin& origin) const {
    const size_t first = origin.written;
    const size_t count = instruction.row_count - first;
    if (origin.table_row == kNoTableRow) return kNone;
    Rule rule = rules_[static_cast<size_t>(origin.opcode)];
    constexpr std::array kOperands = {0u, 1u, 2u, 2u, 3u, 2u, 0u};
    if (count < kOperands[static_cast<size_t>(rule)] || (rule == Rule::copy && origin.written != 1)) rule = Rule::other;
    switch (rule) {
      case Rule::from_memory:
        return kNone;
      case Rule::copy:
        return of(instruction, first);
      case Rule::add:
        return sum(of(instruction, first), of(instruction, first + 1));
      case Rule::subtract: {
        const Origin less = of(instruction, first + 1);
        return is_variable(less) ? kSeveral : sum(of(instruction, first), less);
      }
      case Rule::multiply_add: {
        const Origin product = sum(of(instruction, first), of(instruction, first + 1));
        return is_variable(product) ? kSeveral : sum(product, of(instruction, first + 2));
      }
      case Rule::select:
        return either(of(instruction, first), of(instruction, first + 1));
      case Rule::other:
        break;
    }
    Origin all = kNone;
    for (size_t operand = first; operand < instruction.row_count; ++operand) all = sum(all, of(instruction, operand));
    return is_variable(all) ? kSeveral : all;
  }

  const Function& function_;
  std::vector<Rule> rules_;  // of each opcode
  std::vector<Origin> origins_;
};

}  // namespace

std::vector<SharedRange> shared_bounds(const Program& program, const Function& function, const Function& kernel) {
  std::vector<SharedRange> bounds(function.code.size());
  const auto kernel_index = static_cast<int32_t>(program.index_of(kernel));
  std::vector<SharedRange> variables;
  for (const SharedVariable& variable : program.shared_variables) {
    if ((variable.function == -1 || variable.function == kernel_index) && variable.bytes > 0)
      variables.push_back({variable.offset, variable.offset + variable.bytes});
  }
  if (variables.empty()) return bounds;
  const Origins origins(program, function);
  for (size_t i = 0; i < bounds.size(); ++i) {
    const Instruction& instruction = function.code[i];
    const RowInfo* const info = function.info_of(instruction);
    for (size_t operand = 0; operand < instruction.row_count; ++operand) {
      if (!info[operand].address) continue;
      const auto variable = std::ranges::find(variables, origins.of(instruction, operand), &SharedRange::first);
      if (variable != variables.end()) bounds[i] = *variable;
      break;
    }
  }
  return bounds;
}

}  // namespace assay::vgpu
