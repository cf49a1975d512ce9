// SPDX-License-Identifier: MIT
// The syntax tree of a PTX module: what the text says, before any meaning is looked up.
// Printing a tree and parsing it again gives an equal tree (positions in the text do not count).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace assay::ptx {

// Where something stands in the PTX text. Two trees are equal wherever their parts stood.
struct TextPosition {
  int line = 0;
  int column = 0;
  bool operator==(const TextPosition&) const { return true; }
};

// --- operands -------------------------------------------------------------------------------------------------------

struct Operand;

struct Identifier {  // a register, variable, label, function or special register: "%r1", "$L__BB0_2", "%tid.x"
  std::string name;
  bool operator==(const Identifier&) const = default;
};
struct IntegerLiteral {  // the 64 bits that the text denotes; a sign in the text is applied
  uint64_t bits = 0;
  bool negative = false;  // printed as a negative decimal
  bool operator==(const IntegerLiteral&) const = default;
};
struct FloatLiteral {  // 0f3F800000 (width 32), 0d3FF0000000000000 (width 64), or a decimal such as 1.5 (kept as 64)
  uint64_t bits = 0;
  int width = 64;
  bool operator==(const FloatLiteral&) const = default;
};
struct Sink {  // "_"
  bool operator==(const Sink&) const = default;
};
struct Negated {  // "!%p1"
  std::string name;
  bool operator==(const Negated&) const = default;
};
struct VectorOperand {  // "{%r1, _, 3}"
  std::vector<Operand> elements;
  bool operator==(const VectorOperand&) const;
};
struct PairOperand {              // "%r1|%p1"
  std::vector<Operand> elements;  // exactly two
  bool operator==(const PairOperand&) const;
};
struct AddressOperand {              // "[%rd1+8]", "[sym]", "[16]", "[%rd1, {%r1, %r2}]"
  std::vector<Operand> base;         // exactly one: an identifier or an integer
  int64_t offset = 0;                // "[reg+-8]" and "[reg-8]" both give -8
  std::vector<Operand> coordinates;  // for tensor copies and textures: what follows the first comma
  bool unified = false;              // "[%rd1].unified"
  bool operator==(const AddressOperand&) const;
};
struct ListOperand {  // "(param0, param1)" of a call
  std::vector<Operand> elements;
  bool operator==(const ListOperand&) const;
};
struct OffsetSymbol {  // "sym+4" as a value: mov.u64 %rd1, table+16
  std::string name;
  int64_t offset = 0;
  bool operator==(const OffsetSymbol&) const = default;
};

struct Operand {
  std::variant<Identifier, IntegerLiteral, FloatLiteral, Sink, Negated, VectorOperand, PairOperand, AddressOperand,
               ListOperand, OffsetSymbol>
      value;
  bool operator==(const Operand&) const = default;
};

inline bool VectorOperand::operator==(const VectorOperand&) const = default;
inline bool PairOperand::operator==(const PairOperand&) const = default;
inline bool AddressOperand::operator==(const AddressOperand&) const = default;
inline bool ListOperand::operator==(const ListOperand&) const = default;

// --- statements -----------------------------------------------------------------------------------------------------

struct Guard {  // "@%p1" or "@!%p1"
  std::string predicate;
  bool negated = false;
  bool operator==(const Guard&) const = default;
};

struct Instruction {
  std::optional<Guard> guard;
  std::string opcode;                  // "ld"
  std::vector<std::string> modifiers;  // "global", "nc", "v4", "f32": in the order of the text, without dots;
                                       // "L1::no_allocate" and "shared::cta" are one modifier each
  std::vector<Operand> operands;
  TextPosition position;
  bool operator==(const Instruction&) const = default;
};

struct Label {
  std::string name;
  TextPosition position;
  bool operator==(const Label&) const = default;
};

struct RegisterDeclaration {  // ".reg .v2 .f32 %f<4>, %g;"
  struct Name {
    std::string name;
    std::optional<int> count;  // "%r<6>" declares %r0 ... %r5
    bool operator==(const Name&) const = default;
  };
  int vector_width = 1;
  std::string type;  // "pred", "b32", "f16x2", ...
  std::vector<Name> names;
  TextPosition position;
  bool operator==(const RegisterDeclaration&) const = default;
};

struct Initializer;
using InitializerList = std::vector<Initializer>;
struct SymbolAddress {  // "sym", "sym+8", "generic(sym)+8", "0xff(sym)" (one byte of the address)
  std::string name;
  int64_t offset = 0;
  bool generic = false;
  std::optional<uint64_t> mask;
  bool operator==(const SymbolAddress&) const = default;
};
struct Initializer {
  std::variant<IntegerLiteral, FloatLiteral, SymbolAddress, InitializerList> value;
  bool operator==(const Initializer&) const = default;
};

struct Variable {  // ".visible .global .align 4 .b8 table[16] = {1, 2};", ".param .b64 p", ".extern .shared ... dyn[]"
  std::vector<std::string> linkage;  // of: visible, extern, weak, common
  std::string space;                 // "global", "const", "shared", "local", "param", "tex"
  int alignment = 0;                 // 0: that of the type
  int vector_width = 1;
  std::string type;           // "b8", "u64", "f32", "texref", ...
  bool is_pointer = false;    // ".ptr"
  std::string pointer_space;  // of ".ptr": "global", "shared", ...; "" if not given
  int pointer_alignment = 0;  // of ".ptr .align N"
  std::string name;
  std::vector<int64_t> dimensions;      // -1: "[]"
  std::vector<std::string> attributes;  // "managed", "unified(1, 2)": the text inside .attribute(...)
  std::optional<Initializer> initializer;
  TextPosition position;
  bool operator==(const Variable&) const = default;
};

// ".loc 1 11 73, function_name $L__info_string3, inlined_at 1 11 178"
struct Location {
  int file = 0;
  int line = 0;
  int column = 0;
  struct Inlined {
    std::string function_label;   // a label into .debug_str
    int64_t function_offset = 0;  // "$L__info_string0+12"
    int file = 0;
    int line = 0;
    int column = 0;
    bool operator==(const Inlined&) const = default;
  };
  std::optional<Inlined> inlined_at;
  bool operator==(const Location&) const = default;
};

struct Pragma {
  std::vector<std::string> strings;
  bool operator==(const Pragma&) const = default;
};

struct CallPrototype {  // "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _);"
  std::string label;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  bool noreturn = false;
  bool operator==(const CallPrototype&) const = default;
};

struct TargetList {  // "ts: .branchtargets L1, L2;", ".calltargets f, g;"
  std::string label;
  bool calls = false;
  std::vector<std::string> targets;
  bool operator==(const TargetList&) const = default;
};

struct Statement;
struct CompoundStatement {  // "{ ... }": a scope of registers, variables and labels
  std::vector<Statement> statements;
  bool operator==(const CompoundStatement&) const;
};

struct Statement {
  std::variant<Instruction, Label, RegisterDeclaration, Variable, Location, Pragma, CallPrototype, TargetList,
               CompoundStatement>
      value;
  bool operator==(const Statement&) const = default;
};
inline bool CompoundStatement::operator==(const CompoundStatement&) const = default;

// --- module ---------------------------------------------------------------------------------------------------------

struct FunctionAttribute {  // ".maxntid 256, 1, 1", ".noreturn", ".explicitcluster"
  std::string name;
  std::vector<int64_t> values;
  bool operator==(const FunctionAttribute&) const = default;
};

struct Function {
  std::vector<std::string> linkage;
  bool is_entry = false;
  std::string name;
  std::vector<Variable> returns;
  std::vector<Variable> parameters;
  std::vector<FunctionAttribute> attributes;
  std::vector<std::string> declared_attributes;  // ".func .attribute(.unified(1, 2)) f": "unified(1, 2)"
  std::optional<CompoundStatement> body;         // absent: a declaration
  TextPosition position;
  bool operator==(const Function&) const = default;
};

struct Alias {  // ".alias new_name, old_name;"
  std::string name;
  std::string target;
  bool operator==(const Alias&) const = default;
};

struct SourceFile {  // ".file 1 "kernel.cu", 1700000000, 1234"
  int index = 0;
  std::string name;
  std::vector<uint64_t> stamp;
  bool operator==(const SourceFile&) const = default;
};

struct DebugSection {   // ".section .debug_str { $L__info_string0: .b8 95,90 ... }", kept as its lines' tokens
  std::string name;     // ".debug_str"
  std::string content;  // the text between the braces, with every run of blanks made one space or one newline
  bool operator==(const DebugSection&) const = default;
};

using ModuleItem = std::variant<Variable, Function, Alias, SourceFile, DebugSection, Pragma>;

struct Module {
  int version_major = 0;
  int version_minor = 0;
  std::vector<std::string> targets;  // "sm_80", "debug", ...
  int address_size = 64;
  std::vector<ModuleItem> items;  // in the order of the text
  bool operator==(const Module&) const = default;
};

}  // namespace assay::ptx
