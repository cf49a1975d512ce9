// SPDX-License-Identifier: MIT
#include "ptx/printer.hpp"

#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <utility>

namespace assay::ptx {
namespace {

// Appends what it is given to one growing text.
class Printer {
 public:
  std::string take() { return std::move(text_); }

  void module(const Module& module);
  void function(const Function& function);
  void statement(const Statement& statement);
  void operand(const Operand& operand);
  void put(const Instruction& instruction);

 private:
  template <class... Values>
  void format(fmt::format_string<Values...> pattern, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Values>(values)...);
  }
  void add(std::string_view text) { text_ += text; }
  void indent() { text_.append(static_cast<size_t>(depth_), '\t'); }
  template <class List, class Show>
  void join(const List& list, Show show) {
    bool first = true;
    for (const auto& element : list) {
      if (!first) add(", ");
      first = false;
      show(element);
    }
  }
  void names(const std::vector<std::string>& list) {
    join(list, [&](const std::string& name) { add(name); });
  }
  void operands(const std::vector<Operand>& list) {
    join(list, [&](const Operand& element) { operand(element); });
  }
  void words(const std::vector<std::string>& list) {
    for (const std::string& word : list) format(".{} ", word);
  }
  void offset(int64_t value, bool even_if_zero);
  void declaration(const Variable& variable);
  void declarations(const std::vector<Variable>& list) {
    add("(");
    join(list, [&](const Variable& variable) { declaration(variable); });
    add(")");
  }
  void attributes(const std::vector<std::string>& list);
  void initializer(const Initializer& initializer);

  void put(const Label& label) { format("{}:", label.name); }
  void put(const RegisterDeclaration& declaration);
  void put(const Variable& variable) {
    declaration(variable);
    add(";");
  }
  void put(const Location& location);
  void put(const Pragma& pragma);
  void put(const CallPrototype& prototype);
  void put(const TargetList& targets);
  void put(const CompoundStatement& compound);
  void put(const Function& value) { function(value); }
  void put(const Alias& alias) { format(".alias {}, {};", alias.name, alias.target); }
  void put(const SourceFile& file);
  void put(const DebugSection& section);

  void value(const Identifier& identifier) { add(identifier.name); }
  void value(const IntegerLiteral& literal);
  void value(const FloatLiteral& literal);
  void value(const Sink&) { add("_"); }
  void value(const Negated& negated) { format("!{}", negated.name); }
  void value(const VectorOperand& vector);
  void value(const PairOperand& pair);
  void value(const AddressOperand& address);
  void value(const ListOperand& list);
  void value(const OffsetSymbol& symbol) {
    add(symbol.name);
    offset(symbol.offset, true);
  }
  void value(const SymbolAddress& address);
  void value(const InitializerList& list);

  std::string text_;
  int depth_ = 0;
};

void Printer::module(const Module& module) {
  format(".version {}.{}\n.target ", module.version_major, module.version_minor);
  names(module.targets);
  format("\n.address_size {}\n", module.address_size);
  for (const ModuleItem& item : module.items) {
    std::visit([&](const auto& part) { put(part); }, item);
    add("\n");
  }
}

void Printer::function(const Function& function) {
  words(function.linkage);
  add(function.is_entry ? ".entry " : ".func ");
  if (!function.declared_attributes.empty()) attributes(function.declared_attributes);
  if (!function.returns.empty()) {
    declarations(function.returns);
    add(" ");
  }
  add(function.name);
  declarations(function.parameters);
  for (const FunctionAttribute& attribute : function.attributes) {
    format("\n.{} ", attribute.name);
    join(attribute.values, [&](int64_t number) { format("{}", number); });
  }
  if (!function.body) {
    add(";");
    return;
  }
  add("\n");
  put(*function.body);
}

void Printer::statement(const Statement& statement) {
  indent();
  std::visit([&](const auto& part) { put(part); }, statement.value);
  add("\n");
}

void Printer::put(const CompoundStatement& compound) {
  add("{\n");
  ++depth_;
  for (const Statement& inner : compound.statements) statement(inner);
  --depth_;
  indent();
  add("}");
}

void Printer::put(const Instruction& instruction) {
  if (instruction.guard) format("@{}{} ", instruction.guard->negated ? "!" : "", instruction.guard->predicate);
  add(instruction.opcode);
  for (const std::string& modifier : instruction.modifiers) format(".{}", modifier);
  if (!instruction.operands.empty()) add(" ");
  operands(instruction.operands);
  add(";");
}

void Printer::put(const RegisterDeclaration& declaration) {
  add(".reg ");
  if (declaration.vector_width != 1) format(".v{} ", declaration.vector_width);
  format(".{} ", declaration.type);
  join(declaration.names, [&](const RegisterDeclaration::Name& name) {
    add(name.name);
    if (name.count) format("<{}>", *name.count);
  });
  add(";");
}

void Printer::put(const Location& location) {
  format(".loc {} {} {}", location.file, location.line, location.column);
  if (!location.inlined_at) return;
  const Location::Inlined& inlined = *location.inlined_at;
  format(", function_name {}", inlined.function_label);
  offset(inlined.function_offset, false);
  format(", inlined_at {} {} {}", inlined.file, inlined.line, inlined.column);
}

void Printer::put(const Pragma& pragma) {
  add(".pragma ");
  join(pragma.strings, [&](const std::string& text) { format("\"{}\"", text); });
  add(";");
}

void Printer::put(const CallPrototype& prototype) {
  format("{}: .callprototype ", prototype.label);
  if (!prototype.returns.empty()) declarations(prototype.returns);
  add(" _ ");
  declarations(prototype.parameters);
  add(prototype.noreturn ? " .noreturn;" : ";");
}

void Printer::put(const TargetList& targets) {
  format("{}: .{} ", targets.label, targets.calls ? "calltargets" : "branchtargets");
  names(targets.targets);
  add(";");
}

void Printer::put(const SourceFile& file) {
  format(".file {} \"{}\"", file.index, file.name);
  for (uint64_t number : file.stamp) format(", {}", number);
}

void Printer::put(const DebugSection& section) {
  format(".section {}\n{{\n{}\n}}", section.name, section.content);
}

void Printer::declaration(const Variable& variable) {
  words(variable.linkage);
  format(".{} ", variable.space);
  if (variable.alignment != 0) format(".align {} ", variable.alignment);
  if (!variable.attributes.empty()) attributes(variable.attributes);
  if (variable.vector_width != 1) format(".v{} ", variable.vector_width);
  format(".{} ", variable.type);
  if (variable.is_pointer) {
    add(".ptr ");
    if (!variable.pointer_space.empty()) format(".{} ", variable.pointer_space);
    if (variable.pointer_alignment != 0) format(".align {} ", variable.pointer_alignment);
  }
  add(variable.name);
  for (int64_t extent : variable.dimensions) extent < 0 ? add("[]") : format("[{}]", extent);
  if (variable.initializer) {
    add(" = ");
    initializer(*variable.initializer);
  }
}

void Printer::attributes(const std::vector<std::string>& list) {
  add(".attribute(");
  join(list, [&](const std::string& text) { format(".{}", text); });
  add(") ");
}

void Printer::initializer(const Initializer& initializer) {
  std::visit([&](const auto& part) { value(part); }, initializer.value);
}

void Printer::value(const InitializerList& list) {
  add("{");
  join(list, [&](const Initializer& element) { initializer(element); });
  add("}");
}

void Printer::value(const SymbolAddress& address) {
  if (address.mask) format("0x{:x}(", *address.mask);
  address.generic ? format("generic({})", address.name) : add(address.name);
  offset(address.offset, false);
  if (address.mask) add(")");
}

void Printer::operand(const Operand& operand) {
  std::visit([&](const auto& part) { value(part); }, operand.value);
}

void Printer::value(const IntegerLiteral& literal) {
  literal.negative ? format("-{}", uint64_t{0} - literal.bits) : format("{}", literal.bits);
}

void Printer::value(const FloatLiteral& literal) {
  literal.width == 32 ? format("0f{:08X}", literal.bits) : format("0d{:016X}", literal.bits);
}

void Printer::value(const VectorOperand& vector) {
  add("{");
  operands(vector.elements);
  add("}");
}

void Printer::value(const ListOperand& list) {
  add("(");
  operands(list.elements);
  add(")");
}

void Printer::value(const PairOperand& pair) {
  operand(pair.elements.at(0));
  add("|");
  operand(pair.elements.at(1));
}

void Printer::value(const AddressOperand& address) {
  add("[");
  operand(address.base.at(0));
  // "[%rd1-8]" is none to ptxas.
  if (address.offset != 0) format("+{}", address.offset);
  for (const Operand& coordinate : address.coordinates) {
    add(", ");
    operand(coordinate);
  }
  add(address.unified ? "].unified" : "]");
}

void Printer::offset(int64_t value, bool even_if_zero) {
  if (value == 0 && !even_if_zero) return;
  value < 0 ? format("-{}", uint64_t{0} - static_cast<uint64_t>(value)) : format("+{}", value);
}

}  // namespace

std::string print(const Module& module) {
  Printer printer;
  printer.module(module);
  return printer.take();
}

std::string print(const Function& function) {
  Printer printer;
  printer.function(function);
  return printer.take();
}

std::string print(const Instruction& instruction) {
  Printer printer;
  printer.put(instruction);
  return printer.take();
}

std::string print(const Operand& operand) {
  Printer printer;
  printer.operand(operand);
  return printer.take();
}

}  // namespace assay::ptx
