// SPDX-License-Identifier: MIT
// Declarations of variables and parameters, and their initialisers.
#include <fmt/format.h>
#include <utility>

#include "ptx/declaration_word.hpp"
#include "ptx/parser_state.hpp"

namespace assay::ptx {

bool Parser::variables(std::vector<Variable>& out, std::vector<std::string> words) {
  if (!token_.is(TokenKind::directive) || !is_variable_space(token_.text.substr(1))) {
    return fail_expected(words.empty() ? "a directive that can stand here" : "a function or a variable");
  }
  Variable common;
  common.linkage = std::move(words);
  common.space = token_.text.substr(1);
  advance();
  if (!variable_words(common)) return false;
  do {
    Variable variable = common;
    if (!name_and_shape(variable)) return false;
    if (accept('=') && !initializer(variable.initializer.emplace())) return false;
    out.push_back(std::move(variable));
  } while (accept(','));
  return expect(';', "after a variable");
}

bool Parser::parameter(Variable& variable) {
  variable.position = position();
  if (!token_.is_directive("param") && !token_.is_directive("reg")) return fail_expected("'.param'");
  variable.space = token_.text.substr(1);
  advance();
  return variable_words(variable) && name_and_shape(variable);
}

bool Parser::variable_words(Variable& variable) {
  while (token_.is(TokenKind::directive)) {
    const std::string_view word = token_.text.substr(1);
    if (word == "align") {
      if (!alignment(variable.alignment)) return false;
    } else if (word == "attribute") {
      if (!attributes(variable.attributes)) return false;
    } else if (word == "ptr") {
      if (!pointer_words(variable)) return false;
    } else if (const int width = vector_width_of(word); width != 0) {
      variable.vector_width = width;
      advance();
    } else if (variable.type.empty() && (is_variable_type(word) || (variable.space == "reg" && word == "pred"))) {
      variable.type = word;
      advance();
    } else {
      return fail_expected(variable.type.empty() ? "a type" : "a name");
    }
  }
  if (variable.type.empty()) return fail_expected(fmt::format("a type after '.{}'", variable.space));
  return true;
}

bool Parser::pointer_words(Variable& variable) {
  advance();
  variable.is_pointer = true;
  if (token_.is(TokenKind::directive) && is_variable_space(token_.text.substr(1))) {
    variable.pointer_space = token_.text.substr(1);
    advance();
  }
  return !token_.is_directive("align") || alignment(variable.pointer_alignment);
}

bool Parser::name_and_shape(Variable& variable) {
  if (!expect_name(variable.name, "a name")) return false;
  int64_t elements = variable.vector_width;
  while (accept('[')) {
    if (accept(']')) {
      variable.dimensions.push_back(-1);
      continue;
    }
    const Token at = token_;
    int64_t extent = 0;
    if (!constant_bits(extent)) return false;
    if (extent < 0 || extent > kMaximumVariableElements ||
        (extent > 0 && elements > kMaximumVariableElements / extent)) {
      return fail(at,
                  fmt::format("{} does not have between 0 and {} elements", variable.name, kMaximumVariableElements));
    }
    elements *= extent > 0 ? extent : 1;
    variable.dimensions.push_back(extent);
    if (!expect(']', "after the extent of an array")) return false;
  }
  return true;
}

bool Parser::alignment(int& value) {
  advance();
  const Token at = token_;
  if (!expect_int(value, "an alignment")) return false;
  if (value <= 0 || value > kMaximumAlignment || (value & (value - 1)) != 0) {
    return fail(at, fmt::format("an alignment must be a power of two up to {}, not {}", kMaximumAlignment, value));
  }
  return true;
}

bool Parser::attributes(std::vector<std::string>& list) {
  advance();
  if (!expect('(', "after '.attribute'")) return false;
  do {
    if (!attribute(list.emplace_back())) return false;
  } while (accept(','));
  return expect(')', "or ',' after an attribute");
}

bool Parser::attribute(std::string& text) {
  if (!token_.is(TokenKind::directive)) return fail_expected("an attribute such as '.managed'");
  text = token_.text.substr(1);
  advance();
  if (!accept('(')) return true;
  text += '(';
  for (bool first = true;; first = false) {
    IntegerLiteral value;
    if (!constant(value)) return false;
    text += fmt::format("{}{}", first ? "" : ", ", value.bits);
    if (!accept(',')) break;
  }
  text += ')';
  return expect(')', "or ',' after an attribute's value");
}

bool Parser::initializer(Initializer& out) {
  if (token_.is('{')) return initializer_list(out);
  if (token_.is(TokenKind::name)) {
    SymbolAddress address;
    if (!symbol_address(address)) return false;
    out.value = std::move(address);
    return true;
  }
  Operand value;
  if (!number(value, "an initialiser")) return false;
  if (const auto* real = std::get_if<FloatLiteral>(&value.value)) {
    out.value = *real;
    return true;
  }
  const auto integer = std::get<IntegerLiteral>(value.value);
  if (!accept('(')) {
    out.value = integer;
    return true;
  }
  SymbolAddress address;
  if (!symbol_address(address)) return false;
  address.mask = integer.bits;
  out.value = std::move(address);
  return expect(')', "after a masked address");
}

bool Parser::initializer_list(Initializer& out) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return fail_too_deep();
  advance();
  InitializerList list;
  if (!accept('}')) {
    do {
      if (!initializer(list.emplace_back())) return false;
    } while (accept(','));
    if (!expect('}', "or ',' after an initialiser")) return false;
  }
  out.value = std::move(list);
  return true;
}

bool Parser::symbol_address(SymbolAddress& address) {
  if (!expect_name(address.name, "a symbol")) return false;
  if (address.name == "generic" && accept('(')) {
    address.generic = true;
    if (!expect_name(address.name, "a symbol in generic()")) return false;
    if (!expect(')', "after generic(...)")) return false;
  }
  return signed_offset(address.offset);
}

}  // namespace assay::ptx
