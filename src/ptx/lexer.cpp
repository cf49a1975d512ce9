// SPDX-License-Identifier: MIT
#include "ptx/lexer.hpp"

#include <array>
#include <fmt/format.h>
#include <utility>

namespace assay::ptx {
namespace {

constexpr uint8_t kBlank = 1;
constexpr uint8_t kNameStart = 2;
constexpr uint8_t kNamePart = 4;
constexpr uint8_t kDigit = 8;
constexpr uint8_t kHexDigit = 16;

constexpr std::array<uint8_t, 256> kCharacterClasses = [] {
  std::array<uint8_t, 256> classes{};
  auto add = [&](std::string_view characters, uint8_t bits) {
    for (char c : characters) classes[static_cast<uint8_t>(c)] |= bits;
  };
  add(" \t\r\n\f\v", kBlank);
  add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", kNameStart | kNamePart);
  add("0123456789", kNamePart | kDigit | kHexDigit);
  add("abcdefABCDEF", kHexDigit);
  return classes;
}();

bool has(char c, uint8_t bits) {
  return (kCharacterClasses[static_cast<uint8_t>(c)] & bits) != 0;
}

std::string shown(char c) {
  auto byte = static_cast<uint8_t>(c);
  if (byte < 0x20 || byte >= 0x7f) return fmt::format("the byte 0x{:02x}", byte);
  return fmt::format("'{}'", c);
}

constexpr std::string_view kTwoCharacterSymbols[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};

}  // namespace

Lexer::Lexer(std::string_view text) : cursor_(text.data()), end_(text.data() + text.size()), line_start_(cursor_) {}

Token Lexer::make(TokenKind kind, const char* begin) {
  return {kind, std::string_view(begin, static_cast<size_t>(cursor_ - begin)), line_,
          static_cast<int>(begin - line_start_) + 1};
}

Token Lexer::fail(const char* begin, std::string problem) {
  problem_ = std::move(problem);
  Token token = make(TokenKind::invalid, begin);
  cursor_ = end_;  // nothing after a broken token can be trusted
  return token;
}

bool Lexer::skip_blanks() {
  while (cursor_ < end_) {
    if (*cursor_ == '\n') {
      ++line_;
      line_start_ = ++cursor_;
    } else if (has(*cursor_, kBlank)) {
      ++cursor_;
    } else if (*cursor_ == '/' && end_ - cursor_ >= 2 && cursor_[1] == '/') {
      while (cursor_ < end_ && *cursor_ != '\n') ++cursor_;
    } else if (*cursor_ == '/' && end_ - cursor_ >= 2 && cursor_[1] == '*') {
      const std::string_view rest(cursor_ + 2, static_cast<size_t>(end_ - cursor_ - 2));
      const size_t length = rest.find("*/");
      if (length == std::string_view::npos) return false;
      for (const char* after = cursor_ + length + 4; cursor_ < after; ++cursor_) {
        if (*cursor_ == '\n') {
          ++line_;
          line_start_ = cursor_ + 1;
        }
      }
    } else {
      break;
    }
  }
  return true;
}

Token Lexer::next() {
  if (!skip_blanks()) return fail(cursor_, "this comment does not end");
  if (cursor_ == end_) return make(TokenKind::end, cursor_);
  const char* begin = cursor_;
  const char first = *cursor_++;
  const char second = cursor_ < end_ ? *cursor_ : '\0';
  if (has(first, kNameStart) || (first == '%' && has(second, kNamePart))) {
    while (cursor_ < end_ && has(*cursor_, kNamePart)) ++cursor_;
    return make(TokenKind::name, begin);
  }
  if (has(first, kDigit)) return number(begin);
  if (first == '.') {
    if (!has(second, kNamePart)) return fail(begin, "a name was expected after '.'");
    while (cursor_ < end_) {
      if (has(*cursor_, kNamePart)) {
        ++cursor_;
      } else if (end_ - cursor_ >= 3 && cursor_[0] == ':' && cursor_[1] == ':' && has(cursor_[2], kNamePart)) {
        cursor_ += 3;
      } else {
        break;
      }
    }
    return make(TokenKind::directive, begin);
  }
  if (first == '"') return quoted(begin);
  for (std::string_view symbol : kTwoCharacterSymbols) {
    if (first == symbol[0] && second == symbol[1]) {
      ++cursor_;
      return make(TokenKind::symbol, begin);
    }
  }
  if (std::string_view("(){}[]<>,;:+-*/%!~&|^?=@").find(first) != std::string_view::npos) {
    return make(TokenKind::symbol, begin);
  }
  return fail(begin, shown(first) + " cannot stand here");
}

Token Lexer::number(const char* begin) {
  auto skip = [&](uint8_t bits) {
    const char* start = cursor_;
    while (cursor_ < end_ && has(*cursor_, bits)) ++cursor_;
    return cursor_ - start;
  };
  const char prefix = begin[0] == '0' && cursor_ < end_ ? *cursor_ : '\0';
  TokenKind kind = TokenKind::integer;
  if (prefix == 'x' || prefix == 'X') {
    ++cursor_;
    if (skip(kHexDigit) == 0) return fail(begin, "hexadecimal digits were expected after 0x");
  } else if (prefix == 'b' || prefix == 'B') {
    ++cursor_;
    if (skip(kDigit) == 0) return fail(begin, "binary digits were expected after 0b");
  } else if (prefix == 'f' || prefix == 'F' || prefix == 'd' || prefix == 'D') {
    ++cursor_;
    const int wanted = prefix == 'f' || prefix == 'F' ? 8 : 16;
    if (skip(kHexDigit) != wanted) {
      return fail(begin, fmt::format("{} hexadecimal digits were expected after 0{}", wanted, prefix));
    }
    kind = TokenKind::real;
  } else {
    skip(kDigit);
    if (cursor_ < end_ && *cursor_ == '.') {
      ++cursor_;
      skip(kDigit);
      kind = TokenKind::real;
    }
    if (cursor_ < end_ && (*cursor_ == 'e' || *cursor_ == 'E')) {
      ++cursor_;
      if (cursor_ < end_ && (*cursor_ == '+' || *cursor_ == '-')) ++cursor_;
      if (skip(kDigit) == 0) return fail(begin, "digits were expected in the exponent");
      kind = TokenKind::real;
    }
  }
  if (kind == TokenKind::integer && cursor_ < end_ && *cursor_ == 'U') ++cursor_;
  if (cursor_ < end_ && has(*cursor_, kNamePart)) return fail(begin, shown(*cursor_) + " cannot stand in a number");
  return make(kind, begin);
}

Token Lexer::quoted(const char* begin) {
  while (cursor_ < end_ && *cursor_ != '"' && *cursor_ != '\n') {
    if (*cursor_ == '\\' && end_ - cursor_ >= 2 && cursor_[1] != '\n') ++cursor_;
    ++cursor_;
  }
  if (cursor_ == end_ || *cursor_ == '\n') return fail(begin, "this string does not end on its line");
  ++cursor_;
  return make(TokenKind::string, begin);
}

Token Lexer::take_braced_text(std::string& content) {
  content.clear();
  for (int depth = 1;;) {
    const int line_before = line_;
    const char* blanks_begin = cursor_;
    if (!skip_blanks()) return fail(cursor_, "this comment does not end");
    if (cursor_ == end_) return fail(cursor_, "the section does not end: '}' is missing");
    if (*cursor_ == '}' && --depth == 0) {
      ++cursor_;
      return make(TokenKind::symbol, cursor_ - 1);
    }
    if (cursor_ != blanks_begin && !content.empty()) content += line_ != line_before ? '\n' : ' ';
    const char* begin = cursor_++;
    if (*begin == '{') {
      ++depth;
    } else if (*begin == '"') {
      if (Token string = quoted(begin); string.is(TokenKind::invalid)) return string;
    } else if (has(*begin, kNamePart)) {
      while (cursor_ < end_ && has(*cursor_, kNamePart)) ++cursor_;
    }
    content.append(begin, cursor_);
  }
}

}  // namespace assay::ptx
