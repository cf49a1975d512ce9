// SPDX-License-Identifier: MIT
// The operands of instructions.
#include <utility>

#include "ptx/parser_state.hpp"

namespace assay::ptx {

// "(a, b)" is a list in a call, and a constant in parentheses elsewhere.
bool Parser::operand(Operand& out, bool lists_allowed) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return fail_too_deep();
  if (lists_allowed && accept('(')) {
    ListOperand list;
    if (!operand_list(list.elements, ')', false)) return false;
    out.value = std::move(list);
    return true;
  }
  if (token_.is('[')) return address(out);
  if (!plain_operand(out)) return false;
  if (!accept('|')) return true;
  PairOperand pair;
  pair.elements.push_back(std::exchange(out, {}));
  if (!named_operand(pair.elements.emplace_back())) return false;
  out.value = std::move(pair);
  return true;
}

bool Parser::plain_operand(Operand& out) {
  if (accept('{')) {
    VectorOperand vector;
    if (!operand_list(vector.elements, '}', false)) return false;
    out.value = std::move(vector);
    return true;
  }
  if (token_.is(TokenKind::name)) return named_operand(out);
  if (token_.is('!') && peek().is(TokenKind::name)) {
    advance();
    Negated negated;
    if (!operand_name(negated.name)) return false;
    out.value = std::move(negated);
    return true;
  }
  return number(out, "an operand");
}

bool Parser::named_operand(Operand& out) {
  Identifier identifier;
  if (!operand_name(identifier.name)) return false;
  if (identifier.name == "_") {
    out.value = Sink{};
    return true;
  }
  if (token_.is('+') || token_.is('-')) {
    OffsetSymbol symbol{std::move(identifier.name), 0};
    if (!signed_offset(symbol.offset)) return false;
    out.value = std::move(symbol);
    return true;
  }
  out.value = std::move(identifier);
  return true;
}

// "%tid.x": the component belongs to the name.
bool Parser::operand_name(std::string& name) {
  if (!expect_name(name, "the name of a register or a symbol")) return false;
  while (token_.is(TokenKind::directive)) {
    name += token_.text;
    advance();
  }
  return true;
}

bool Parser::operand_list(std::vector<Operand>& list, char close, bool lists_allowed) {
  if (accept(close)) return true;
  do {
    if (!operand(list.emplace_back(), lists_allowed)) return false;
  } while (accept(','));
  return expect(close, "or ',' after an operand");
}

bool Parser::address(Operand& out) {
  advance();
  AddressOperand result;
  Operand& base = result.base.emplace_back();
  if (token_.is(TokenKind::name)) {
    Identifier identifier;
    if (!operand_name(identifier.name)) return false;
    base.value = std::move(identifier);
    if (!signed_offset(result.offset)) return false;
  } else {
    IntegerLiteral literal;
    if (!starts_constant()) return fail_expected("an address");
    if (!constant(literal)) return false;
    base.value = literal;
  }
  while (accept(',')) {
    if (!operand(result.coordinates.emplace_back(), false)) return false;
  }
  if (!expect(']', "after an address")) return false;
  result.unified = accept_directive("unified");
  out.value = std::move(result);
  return true;
}

bool Parser::signed_offset(int64_t& offset) {
  offset = 0;
  uint64_t sum = 0;
  while (token_.is('+') || token_.is('-')) {
    const bool minus = token_.is('-');
    advance();
    IntegerValue term;
    if (!binary(term, kProductPrecedence)) return false;
    sum = minus ? sum - term.bits : sum + term.bits;
  }
  offset = static_cast<int64_t>(sum);
  return true;
}

bool Parser::number(Operand& out, std::string_view what) {
  const bool negative = token_.is('-') && peek().is(TokenKind::real);
  if (negative) advance();
  if (token_.is(TokenKind::real)) {
    auto value = real_value(token_.text);
    if (!value) return fail(token_, "this number is out of range");
    if (negative) value->bits ^= uint64_t{1} << (value->width - 1);
    advance();
    out.value = *value;
    return true;
  }
  if (!starts_constant()) return fail_expected(what);
  IntegerLiteral literal;
  if (!constant(literal)) return false;
  out.value = literal;
  return true;
}

}  // namespace assay::ptx
