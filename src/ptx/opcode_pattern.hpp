// SPDX-License-Identifier: MIT
// A row of the opcode table, made ready for matching: which modifiers it takes and what its operands are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "ptx/opcode_table.hpp"
#include "ptx/syntax.hpp"
#include "ptx/type.hpp"

namespace assay::ptx {

// How wide an operand's register must be.
struct OperandType {
  enum class From { fixed, type_modifier, wide, any };
  From from = From::type_modifier;
  Type fixed = Type::b32;  // of `fixed`
  int index = 0;           // of `type_modifier` and `wide`: which type modifier
  bool or_wider = false;   // a wider register is legal: loads, stores, conversions
};

struct OperandPattern {
  enum class Form { value, address, tensor, vector, pair };
  Form form = Form::value;
  std::string name;  // "d", "a", ...: those that begin with 'd' or 'p' are written
  OperandType type;
  OperandType second_type;  // of the second part of a pair
  bool optional = false;
};

// A name for a list of modifiers: ".$rnd" in a row stands for ".(rn|rz|rm|rp)".
struct ModifierClass {
  std::string_view name;
  std::string_view alternatives;  // with bars between them
};
std::span<const ModifierClass> modifier_classes();

struct ModifierSlot {
  std::vector<std::string> alternatives;
  bool optional = false;
};

struct OpcodePattern {
  const OpcodeRow* row = nullptr;
  int row_index = 0;  // over all families
  std::string_view family;
  std::string opcode;
  std::vector<ModifierSlot> slots;
  std::vector<OperandPattern> operands;
  bool raw_operands = false;  // "*"
};

// An instruction's modifiers as a row understands them.
class Modifiers {
 public:
  bool has(std::string_view name) const;
  // The first of `names` that is there, or "".
  std::string_view one_of(std::initializer_list<std::string_view> names) const;
  const std::vector<Type>& types() const { return types_; }
  Type type(size_t index = 0) const;
  const std::vector<std::string>& names() const { return names_; }

 private:
  friend class OpcodeMatcher;
  std::vector<std::string> names_;
  std::vector<Type> types_;
};

struct OpcodeMatch {
  const OpcodePattern* pattern = nullptr;
  Modifiers modifiers;
};

// All rows, compiled once. Looking an instruction up says which row it is, or why none fits.
class OpcodeMatcher {
 public:
  static const OpcodeMatcher& instance();

  Result<OpcodeMatch> match(const Instruction& instruction) const;
  const std::vector<OpcodePattern>& patterns() const { return patterns_; }

 private:
  OpcodeMatcher();
  std::vector<OpcodePattern> patterns_;  // sorted by opcode, rows in table order
};

// Reads one row; an error here is a mistake in our table (a test compiles every row).
Result<OpcodePattern> compile_row(const OpcodeRow& row);

}  // namespace assay::ptx
