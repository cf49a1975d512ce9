// SPDX-License-Identifier: MIT
// The module scope: header, functions, line tables, debug sections.
#include <charconv>
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "ptx/declaration_word.hpp"
#include "ptx/parser_state.hpp"

namespace assay::ptx {
namespace {

bool is_linkage(std::string_view word) {
  return word == "visible" || word == "extern" || word == "weak" || word == "common";
}

// A word that cannot continue the head of a function, so that a missing ';' is reported where it is missing.
bool starts_module_item(std::string_view word) {
  return is_linkage(word) || word == "entry" || word == "func" || is_variable_space(word);
}

bool split_version(std::string_view text, int& major, int& minor) {
  const char* end = text.data() + text.size();
  const auto [dot, problem] = std::from_chars(text.data(), end, major);
  if (problem != std::errc() || dot == end || *dot != '.') return false;
  const auto [stop, minor_problem] = std::from_chars(dot + 1, end, minor);
  return minor_problem == std::errc() && stop == end;
}

// ptxas refuses a zero here, although the manual does not say so.
bool counts_from_one(std::string_view attribute) {
  return attribute == "maxntid" || attribute == "reqntid" || attribute == "minnctapersm" || attribute == "maxnreg";
}

}  // namespace

bool Parser::parse_module(Module& module) {
  if (!module_header(module)) return false;
  while (!token_.is(TokenKind::end)) {
    if (!module_item(module)) return false;
  }
  return true;
}

bool Parser::module_header(Module& module) {
  if (!accept_directive("version")) return fail_expected("'.version' at the start of a module");
  if (!token_.is(TokenKind::real) || !split_version(token_.text, module.version_major, module.version_minor)) {
    return fail_expected("a version such as 9.0");
  }
  advance();
  if (!token_.is_directive("target")) return fail_expected("'.target' after the version");
  while (accept_directive("target")) {
    do {
      std::string target;
      if (!expect_name(target, "a target such as sm_90")) return false;
      module.targets.push_back(std::move(target));
    } while (accept(','));
  }
  if (token_.is_directive("address_size")) {
    advance();
    const Token at = token_;
    if (!expect_int(module.address_size, "the address size")) return false;
    if (module.address_size != 64 && module.address_size != 32) return fail(at, "the address size must be 32 or 64");
  }
  return true;
}

bool Parser::module_item(Module& module) {
  if (accept(';')) return true;
  const TextPosition start = position();
  if (token_.is_directive("file")) {
    SourceFile file;
    if (!source_file(file)) return false;
    module.items.emplace_back(std::move(file));
    return true;
  }
  if (token_.is_directive("section")) {
    DebugSection debug;
    if (!section(debug)) return false;
    module.items.emplace_back(std::move(debug));
    return true;
  }
  if (token_.is_directive("alias")) {
    Alias item;
    if (!alias(item)) return false;
    module.items.emplace_back(std::move(item));
    return true;
  }
  if (token_.is_directive("pragma")) {
    Pragma item;
    if (!pragma(item)) return false;
    module.items.emplace_back(std::move(item));
    return true;
  }
  std::vector<std::string> words;
  if (!linkage(words)) return false;
  if (token_.is_directive("entry") || token_.is_directive("func")) return function(module, std::move(words), start);
  std::vector<Variable> declared;
  if (!variables(declared, std::move(words))) return false;
  for (Variable& variable : declared) {
    variable.position = start;
    module.items.emplace_back(std::move(variable));
  }
  return true;
}

bool Parser::linkage(std::vector<std::string>& words) {
  while (token_.is(TokenKind::directive) && is_linkage(token_.text.substr(1))) {
    words.emplace_back(token_.text.substr(1));
    advance();
  }
  return true;
}

bool Parser::function(Module& module, std::vector<std::string> words, TextPosition start) {
  Function result;
  result.linkage = std::move(words);
  result.position = start;
  result.is_entry = token_.is_directive("entry");
  advance();
  if (token_.is_directive("attribute") && !attributes(result.declared_attributes)) return false;
  if (!result.is_entry && token_.is('(') && !parameters(result.returns)) return false;
  if (!expect_name(result.name, result.is_entry ? "the name of the entry" : "the name of the function")) return false;
  if (token_.is('(') && !parameters(result.parameters)) return false;
  CompoundStatement body;
  while (token_.is(TokenKind::directive) && !starts_module_item(token_.text.substr(1))) {
    if (!function_attribute(result, body.statements)) return false;
  }
  if (accept('{')) {
    if (!compound_statement(body)) return false;
    result.body = std::move(body);
  } else if (!token_.is(';')) {
    return fail_expected(fmt::format("'{{' or ';' after the head of {}", result.name));
  } else {
    advance();
  }
  for (SourceFile& file : files_in_bodies_) module.items.emplace_back(std::move(file));
  files_in_bodies_.clear();
  module.items.emplace_back(std::move(result));
  return true;
}

// ".maxntid 256, 1, 1", ".noreturn"; a pragma between head and body counts as the first statement of the body.
bool Parser::function_attribute(Function& function, std::vector<Statement>& body) {
  if (token_.is_directive("pragma")) {
    Pragma item;
    if (!pragma(item)) return false;
    body.push_back({std::move(item)});
    return true;
  }
  FunctionAttribute result;
  result.name = token_.text.substr(1);
  advance();
  if (starts_constant()) {
    do {
      const Token at = token_;
      int64_t value = 0;
      if (!constant_bits(value)) return false;
      if (counts_from_one(result.name) && (value < 1 || value > std::numeric_limits<uint32_t>::max()))
        return fail(at, fmt::format("'.{}' takes numbers of 32 bits from 1 on, found {}", result.name, value));
      result.values.push_back(value);
    } while (accept(','));
  }
  function.attributes.push_back(std::move(result));
  return true;
}

bool Parser::parameters(std::vector<Variable>& list) {
  if (!expect('(', "before parameters")) return false;
  if (accept(')')) return true;
  do {
    Variable variable;
    if (!parameter(variable)) return false;
    list.push_back(std::move(variable));
  } while (accept(','));
  return expect(')', "or ',' after a parameter");
}

bool Parser::source_file(SourceFile& file) {
  advance();
  if (!expect_int(file.index, "the index of a source file")) return false;
  if (!expect_string(file.name, "the name of a source file, in quotes")) return false;
  while (accept(',')) {
    const Token at = token_;
    if (!token_.is(TokenKind::integer)) return fail_expected("the time or the size of the source file");
    const auto value = integer_value(token_.text);
    if (!value) return fail(at, "this number does not fit into 64 bits");
    file.stamp.push_back(value->bits);
    advance();
  }
  return true;
}

bool Parser::section(DebugSection& section) {
  advance();
  if (token_.is(TokenKind::directive) || token_.is(TokenKind::name)) {
    section.name = token_.text;
    advance();
  } else {
    return fail_expected("the name of a section");
  }
  if (!token_.is('{')) return fail_expected("'{' after the name of a section");
  token_ = lexer_.take_braced_text(section.content);
  if (token_.is(TokenKind::invalid)) return fail(token_, "");
  advance();
  return true;
}

bool Parser::alias(Alias& alias) {
  advance();
  return expect_name(alias.name, "the name of the alias") && expect(',', "after the name of the alias") &&
         expect_name(alias.target, "the function that the alias stands for") && expect(';', "after an alias");
}

}  // namespace assay::ptx
