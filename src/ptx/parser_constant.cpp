// SPDX-License-Identifier: MIT
// Constant expressions: C's operators on 64-bit integers, evaluated while parsing.
#include <fmt/format.h>
#include <limits>
#include <utility>

#include "ptx/parser_state.hpp"

namespace assay::ptx {
namespace {

struct Operator {
  std::string_view symbol;
  int precedence;
};

constexpr Operator kOperators[] = {{"||", 1},
                                   {"&&", 2},
                                   {"|", 3},
                                   {"^", 4},
                                   {"&", 5},
                                   {"==", 6},
                                   {"!=", 6},
                                   {"<", 7},
                                   {">", 7},
                                   {"<=", 7},
                                   {">=", 7},
                                   {"<<", 8},
                                   {">>", 8},
                                   {"+", 9},
                                   {"-", 9},
                                   {"*", kProductPrecedence},
                                   {"/", kProductPrecedence},
                                   {"%", kProductPrecedence}};

int precedence_of(const Token& token) {
  if (!token.is(TokenKind::symbol)) return 0;
  for (const Operator& candidate : kOperators) {
    if (token.text == candidate.symbol) return candidate.precedence;
  }
  return 0;
}

int64_t as_signed(uint64_t bits) {
  return static_cast<int64_t>(bits);
}

bool less(const IntegerValue& left, const IntegerValue& right, bool is_unsigned) {
  return is_unsigned ? left.bits < right.bits : as_signed(left.bits) < as_signed(right.bits);
}

uint64_t shifted(const IntegerValue& value, uint64_t amount, bool left) {
  const bool fills_with_ones = !left && !value.is_unsigned && as_signed(value.bits) < 0;
  if (amount >= 64) return fills_with_ones ? ~uint64_t{0} : 0;
  if (left) return value.bits << amount;
  return value.is_unsigned ? value.bits >> amount : static_cast<uint64_t>(as_signed(value.bits) >> amount);
}

uint64_t divided(uint64_t left, uint64_t right, bool is_unsigned, bool remainder) {
  if (is_unsigned) return remainder ? left % right : left / right;
  if (right == ~uint64_t{0}) return remainder ? 0 : uint64_t{0} - left;  // INT64_MIN / -1 wraps
  return static_cast<uint64_t>(remainder ? as_signed(left) % as_signed(right) : as_signed(left) / as_signed(right));
}

}  // namespace

bool Parser::starts_constant() const {
  return token_.is(TokenKind::integer) || token_.is('(') || token_.is('-') || token_.is('+') || token_.is('~') ||
         token_.is('!');
}

bool Parser::constant(IntegerLiteral& out) {
  IntegerValue value;
  if (!conditional(value)) return false;
  out.bits = value.bits;
  out.negative = !value.is_unsigned && as_signed(value.bits) < 0;
  return true;
}

bool Parser::constant_bits(int64_t& out) {
  IntegerValue value;
  if (!conditional(value)) return false;
  out = as_signed(value.bits);
  return true;
}

bool Parser::conditional(IntegerValue& out) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return fail_too_deep();
  if (!binary(out, 1)) return false;
  if (!accept('?')) return true;
  IntegerValue yes;
  IntegerValue no;
  if (!conditional(yes) || !expect(':', "in a conditional expression") || !conditional(no)) return false;
  const bool is_unsigned = yes.is_unsigned || no.is_unsigned;
  out = out.bits != 0 ? yes : no;
  out.is_unsigned = is_unsigned;
  return true;
}

bool Parser::binary(IntegerValue& out, int lowest_precedence) {
  if (!unary(out)) return false;
  for (;;) {
    const Token symbol = token_;
    const int precedence = precedence_of(symbol);
    if (precedence < lowest_precedence || precedence == 0) return true;
    advance();
    IntegerValue right;
    if (!binary(right, precedence + 1)) return false;
    if (!apply(symbol, out, right)) return false;
  }
}

bool Parser::unary(IntegerValue& out) {
  const Nesting nesting(*this);
  if (nesting.too_deep()) return fail_too_deep();
  if (accept('+')) return unary(out);
  if (accept('-')) {
    if (!unary(out)) return false;
    out.bits = uint64_t{0} - out.bits;
    // "-9223372036854775808" is a signed number although its digits alone are not.
    if (out.bits == uint64_t{1} << 63) out.is_unsigned = false;
    return true;
  }
  if (accept('~')) {
    if (!unary(out)) return false;
    out.bits = ~out.bits;
    return true;
  }
  if (accept('!')) {
    if (!unary(out)) return false;
    out = {out.bits == 0 ? uint64_t{1} : uint64_t{0}, false};
    return true;
  }
  return primary(out);
}

bool Parser::primary(IntegerValue& out) {
  if (token_.is(TokenKind::integer)) {
    const auto value = integer_value(token_.text);
    if (!value) return fail(token_, fmt::format("'{:.60}' is not an integer of 64 bits", token_.text));
    out = *value;
    advance();
    return true;
  }
  if (!accept('(')) return fail_expected("an integer constant");
  if (token_.is_directive("s64") || token_.is_directive("u64")) {
    const bool is_unsigned = token_.is_directive("u64");
    advance();
    if (!expect(')', "after the type of a cast") || !unary(out)) return false;
    out.is_unsigned = is_unsigned;
    return true;
  }
  return conditional(out) && expect(')', "after a constant expression");
}

bool Parser::apply(const Token& symbol, IntegerValue& left, const IntegerValue& right) {
  const std::string_view text = symbol.text;
  const bool is_unsigned = left.is_unsigned || right.is_unsigned;
  auto truth = [&](bool value) { left = {value ? uint64_t{1} : uint64_t{0}, false}; };
  if (text == "||") {
    truth(left.bits != 0 || right.bits != 0);
  } else if (text == "&&") {
    truth(left.bits != 0 && right.bits != 0);
  } else if (text == "==") {
    truth(left.bits == right.bits);
  } else if (text == "!=") {
    truth(left.bits != right.bits);
  } else if (text == "<") {
    truth(less(left, right, is_unsigned));
  } else if (text == ">") {
    truth(less(right, left, is_unsigned));
  } else if (text == "<=") {
    truth(!less(right, left, is_unsigned));
  } else if (text == ">=") {
    truth(!less(left, right, is_unsigned));
  } else if (text == "<<" || text == ">>") {
    left.bits = shifted(left, right.bits, text == "<<");
  } else if (text == "/" || text == "%") {
    if (right.bits == 0) return fail(symbol, "division by zero in a constant expression");
    left = {divided(left.bits, right.bits, is_unsigned, text == "%"), is_unsigned};
  } else {
    uint64_t bits = 0;
    switch (text[0]) {
      case '|':
        bits = left.bits | right.bits;
        break;
      case '^':
        bits = left.bits ^ right.bits;
        break;
      case '&':
        bits = left.bits & right.bits;
        break;
      case '+':
        bits = left.bits + right.bits;
        break;
      case '-':
        bits = left.bits - right.bits;
        break;
      default:
        bits = left.bits * right.bits;
        break;
    }
    left = {bits, is_unsigned};
  }
  return true;
}

}  // namespace assay::ptx
