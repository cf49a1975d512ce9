// SPDX-License-Identifier: MIT
// Cuts PTX text into tokens. Tokens are views into the text, which must outlive them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::ptx {

enum class TokenKind : uint8_t {
  end,        // of the text
  invalid,    // no token; Lexer::problem() explains
  name,       // "%r1", "ld", "$L__BB0_2", "_"
  directive,  // ".reg", ".f32", ".L1::no_allocate": a dot and what follows it
  integer,    // "12", "0x1F", "017", "0b101", each also with the suffix U
  real,       // "0f3F800000", "0d3FF0000000000000", "1.5", "1e-3"
  string,     // with its quotes
  symbol,     // a punctuation mark or an operator of constant expressions
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  int line = 1;
  int column = 1;  // in bytes

  bool is(TokenKind wanted) const { return kind == wanted; }
  bool is(char symbol) const { return kind == TokenKind::symbol && text.size() == 1 && text[0] == symbol; }
  bool is_directive(std::string_view name) const { return kind == TokenKind::directive && text.substr(1) == name; }
  bool is_name(std::string_view name) const { return kind == TokenKind::name && text == name; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  Token next();

  // After next() returned "{": everything up to the matching "}", which is consumed and returned. Comments go, and
  // every run of blanks becomes one newline if it held one, else one space.
  Token take_braced_text(std::string& content);

  const std::string& problem() const { return problem_; }

 private:
  bool skip_blanks();  // false: a comment does not end
  Token make(TokenKind kind, const char* begin);
  Token number(const char* begin);
  Token quoted(const char* begin);
  Token fail(const char* begin, std::string problem);

  const char* cursor_;
  const char* end_;
  const char* line_start_;
  int line_ = 1;
  std::string problem_;
};

}  // namespace assay::ptx
