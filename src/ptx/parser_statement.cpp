// SPDX-License-Identifier: MIT
// What stands in the body of a function.
#include <fmt/format.h>
#include <utility>

#include "ptx/declaration_word.hpp"
#include "ptx/parser_state.hpp"

namespace assay::ptx {

bool Parser::compound_statement(CompoundStatement& compound) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return fail_too_deep();
  while (!accept('}')) {
    if (token_.is(TokenKind::end)) return fail_expected("'}' at the end of a block");
    if (!statement(compound.statements)) return false;
  }
  return true;
}

bool Parser::statement(std::vector<Statement>& out) {
  if (accept(';')) return true;
  const TextPosition start = position();
  if (accept('{')) {
    CompoundStatement inner;
    if (!compound_statement(inner)) return false;
    out.push_back({std::move(inner)});
    return true;
  }
  if (token_.is('@')) {
    Guard condition;
    if (!guard(condition)) return false;
    std::string opcode;
    if (!expect_name(opcode, "an instruction after the guard")) return false;
    return instruction(out, std::move(condition), std::move(opcode), start);
  }
  if (token_.is(TokenKind::name)) {
    std::string name(token_.text);
    advance();
    if (accept(':')) return labelled(out, std::move(name), start);
    return instruction(out, std::nullopt, std::move(name), start);
  }
  if (token_.is(TokenKind::directive)) return directive_statement(out);
  return fail_expected("an instruction, a directive, a label or '}'");
}

bool Parser::guard(Guard& guard) {
  advance();
  guard.negated = accept('!');
  return expect_name(guard.predicate, "a predicate after '@'");
}

bool Parser::instruction(std::vector<Statement>& out, std::optional<Guard> guard, std::string opcode,
                         TextPosition start) {
  Instruction& result = std::get<Instruction>(out.emplace_back(Statement{Instruction{}}).value);
  result.guard = std::move(guard);
  result.opcode = std::move(opcode);
  result.position = start;
  while (token_.is(TokenKind::directive)) {
    result.modifiers.emplace_back(token_.text.substr(1));
    advance();
  }
  if (accept(';')) return true;
  const bool is_call = result.opcode == "call";
  do {
    if (!operand(result.operands.emplace_back(), is_call)) return false;
  } while (accept(','));
  if (accept(';')) return true;
  return fail_expected(fmt::format("',' or ';' after an operand of {}", result.opcode));
}

bool Parser::labelled(std::vector<Statement>& out, std::string name, TextPosition start) {
  if (token_.is_directive("callprototype")) {
    CallPrototype prototype;
    prototype.label = std::move(name);
    if (!call_prototype(prototype)) return false;
    out.push_back({std::move(prototype)});
    return true;
  }
  if (token_.is_directive("branchtargets") || token_.is_directive("calltargets")) {
    TargetList targets;
    targets.label = std::move(name);
    if (!target_list(targets)) return false;
    out.push_back({std::move(targets)});
    return true;
  }
  out.push_back({Label{std::move(name), start}});
  return true;
}

bool Parser::directive_statement(std::vector<Statement>& out) {
  const TextPosition start = position();
  if (token_.is_directive("loc")) {
    Location& result = std::get<Location>(out.emplace_back(Statement{Location{}}).value);
    return location(result);
  }
  if (token_.is_directive("reg")) {
    RegisterDeclaration declaration;
    declaration.position = start;
    if (!register_declaration(declaration)) return false;
    out.push_back({std::move(declaration)});
    return true;
  }
  if (token_.is_directive("pragma")) {
    Pragma item;
    if (!pragma(item)) return false;
    out.push_back({std::move(item)});
    return true;
  }
  if (token_.is_directive("file")) return source_file(files_in_bodies_.emplace_back());
  std::vector<std::string> words;
  if (!linkage(words)) return false;
  std::vector<Variable> declared;
  if (!variables(declared, std::move(words))) return false;
  for (Variable& variable : declared) {
    variable.position = start;
    out.push_back({std::move(variable)});
  }
  return true;
}

bool Parser::location(Location& location) {
  advance();
  if (!expect_int(location.file, "the index of a source file") || !expect_int(location.line, "a line number") ||
      !expect_int(location.column, "a column number")) {
    return false;
  }
  if (!accept(',')) return true;
  Location::Inlined inlined;
  if (!token_.is_name("function_name")) return fail_expected("'function_name' after ','");
  advance();
  if (!expect_name(inlined.function_label, "the label of a function's name")) return false;
  if (!signed_offset(inlined.function_offset)) return false;
  if (!expect(',', "after the function's name")) return false;
  if (!token_.is_name("inlined_at")) return fail_expected("'inlined_at'");
  advance();
  if (!expect_int(inlined.file, "the index of a source file") || !expect_int(inlined.line, "a line number") ||
      !expect_int(inlined.column, "a column number")) {
    return false;
  }
  location.inlined_at = std::move(inlined);
  return true;
}

bool Parser::pragma(Pragma& pragma) {
  advance();
  do {
    std::string text;
    if (!expect_string(text, "the text of a pragma, in quotes")) return false;
    pragma.strings.push_back(std::move(text));
  } while (accept(','));
  return expect(';', "after a pragma");
}

bool Parser::register_declaration(RegisterDeclaration& declaration) {
  advance();
  while (token_.is(TokenKind::directive)) {
    const std::string_view word = token_.text.substr(1);
    if (const int width = vector_width_of(word); width != 0) {
      declaration.vector_width = width;
    } else if (!declaration.type.empty() || !is_register_type(word)) {
      return fail_expected("the type of a register");
    } else {
      declaration.type = word;
    }
    advance();
  }
  if (declaration.type.empty()) return fail_expected("the type of a register");
  do {
    RegisterDeclaration::Name& name = declaration.names.emplace_back();
    const Token at = token_;
    if (!expect_name(name.name, "the name of a register")) return false;
    if (accept('<')) {
      int count = 0;
      if (!expect_int(count, "the number of registers")) return false;
      if (count > kMaximumRegisterRange) {
        return fail(at, fmt::format("more than {} registers in one range", kMaximumRegisterRange));
      }
      name.count = count;
      if (!expect('>', "after the number of registers")) return false;
    }
    registers_ += name.count.value_or(1);
    if (registers_ > kMaximumRegisters) {
      return fail(at, fmt::format("more than {} registers in one module", kMaximumRegisters));
    }
  } while (accept(','));
  return expect(';', "or ',' after the name of a register");
}

// "_" is the name of the function and of each parameter in a prototype.
bool Parser::call_prototype(CallPrototype& prototype) {
  advance();
  if (token_.is('(') && !parameters(prototype.returns)) return false;
  std::string name;
  if (!expect_name(name, "'_' in a call prototype")) return false;
  if (token_.is('(') && !parameters(prototype.parameters)) return false;
  while (token_.is(TokenKind::directive)) {
    if (token_.is_directive("noreturn")) {
      prototype.noreturn = true;
    } else {
      return fail_expected("'.noreturn' or ';' after a call prototype");
    }
    advance();
  }
  return expect(';', "after a call prototype");
}

bool Parser::target_list(TargetList& targets) {
  targets.calls = token_.is_directive("calltargets");
  advance();
  do {
    std::string target;
    if (!expect_name(target, targets.calls ? "the name of a function" : "a label")) return false;
    targets.targets.push_back(std::move(target));
  } while (accept(','));
  return expect(';', "after a list of targets");
}

}  // namespace assay::ptx
