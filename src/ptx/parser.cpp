// SPDX-License-Identifier: MIT
// The parser's view of its tokens, and its entrance.
#include "ptx/parser.hpp"

#include <fmt/format.h>
#include <limits>
#include <utility>

#include "ptx/parser_state.hpp"

namespace assay::ptx {
namespace {

constexpr size_t kMaximumTextBytes = size_t{1} << 28;  // the tree takes up to a hundred times as much
constexpr size_t kShownCharacters = 60;

std::string shown(const Token& token) {
  if (token.is(TokenKind::end)) return "the end of the text";
  std::string text(token.text.substr(0, kShownCharacters));
  if (token.text.size() > kShownCharacters) text += "...";
  return token.is(TokenKind::string) ? text : "'" + text + "'";
}

}  // namespace

bool Parser::accept(char symbol) {
  if (!token_.is(symbol)) return false;
  advance();
  return true;
}

bool Parser::accept_directive(std::string_view name) {
  if (!token_.is_directive(name)) return false;
  advance();
  return true;
}

bool Parser::expect(char symbol, std::string_view where) {
  if (accept(symbol)) return true;
  return fail_expected(fmt::format("'{}' {}", symbol, where));
}

bool Parser::expect_name(std::string& name, std::string_view what) {
  if (!token_.is(TokenKind::name)) return fail_expected(what);
  name = token_.text;
  advance();
  return true;
}

bool Parser::expect_string(std::string& text, std::string_view what) {
  if (!token_.is(TokenKind::string)) return fail_expected(what);
  text = token_.text.substr(1, token_.text.size() - 2);
  advance();
  return true;
}

bool Parser::expect_int(int& value, std::string_view what) {
  if (!token_.is(TokenKind::integer)) return fail_expected(what);
  const auto parsed = integer_value(token_.text);
  if (!parsed || parsed->bits > static_cast<uint64_t>(std::numeric_limits<int>::max())) {
    return fail(token_, fmt::format("{} is not a number below 2^31, as {} must be", shown(token_), what));
  }
  value = static_cast<int>(parsed->bits);
  advance();
  return true;
}

bool Parser::fail_expected(std::string_view what) {
  return fail(token_, fmt::format("expected {}, found {}", what, shown(token_)));
}

bool Parser::fail(const Token& at, const std::string& message) {
  if (error_) return false;
  // A broken token explains itself better than the phrase that did not want it.
  const bool broken = token_.is(TokenKind::invalid);
  const Token& where = broken ? token_ : at;
  error_ = Error{broken ? lexer_.problem() : message, Place{file_name_, where.line, where.column}, "", ExitCode::usage};
  return false;
}

bool Parser::fail_too_deep() {
  return fail(token_, fmt::format("nested deeper than {} levels", kMaximumDepth));
}

Result<Module> parse(std::string_view text, const std::string& file_name) {
  // Embedded PTX is padded with zero bytes.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  if (text.size() > kMaximumTextBytes) {
    return Error{"the PTX text is larger than 256 MiB", Place{file_name}, "", ExitCode::usage};
  }
  Parser parser(text, file_name);
  Module module;
  if (!parser.parse_module(module)) return parser.take_error();
  return module;
}

}  // namespace assay::ptx
