// SPDX-License-Identifier: MIT
#include "ptx/lexer.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace assay::ptx {
namespace {

using enum TokenKind;
using Texts = std::vector<std::string>;

Texts texts(std::string_view text) {
  Lexer lexer(text);
  Texts result;
  for (Token token = lexer.next(); !token.is(end); token = lexer.next()) {
    if (token.is(invalid)) {
      result.push_back("! " + lexer.problem());
      break;
    }
    result.emplace_back(token.text);
  }
  return result;
}

TokenKind kind(std::string_view text) {
  Lexer lexer(text);
  const Token token = lexer.next();
  return lexer.next().is(end) ? token.kind : invalid;
}

TEST(Lexer, CutsAnInstruction) {
  EXPECT_EQ(texts("@!%p1 ld.global.v2.f32 {%f1,_}, [%rd1+-8];"),
            (Texts{"@", "!", "%p1", "ld", ".global", ".v2", ".f32", "{", "%f1", ",",
                   "_", "}", ",",   "[",  "%rd1",    "+",   "-",    "8", "]",   ";"}));
}

TEST(Lexer, KnowsTheKinds) {
  EXPECT_EQ(kind("%r1"), name);
  EXPECT_EQ(kind("$L__BB0_2"), name);
  EXPECT_EQ(kind("_"), name);
  EXPECT_EQ(kind("$str$4"), name);
  EXPECT_EQ(kind(".reg"), directive);
  EXPECT_EQ(kind(".2d"), directive);
  EXPECT_EQ(kind("12"), integer);
  EXPECT_EQ(kind("0x1fU"), integer);
  EXPECT_EQ(kind("0b101"), integer);
  EXPECT_EQ(kind("017"), integer);
  EXPECT_EQ(kind("0f3F800000"), real);
  EXPECT_EQ(kind("0D3FF0000000000000"), real);
  EXPECT_EQ(kind("1.5"), real);
  EXPECT_EQ(kind("1e-3"), real);
  EXPECT_EQ(kind("\"a \\\" b\""), string);
  EXPECT_EQ(kind("<<"), symbol);
  EXPECT_EQ(kind(""), end);
}

TEST(Lexer, KeepsDoubleColonsInsideModifiers) {
  EXPECT_EQ(texts("cp.mbarrier::complete_tx::bytes.L2::128B x"),
            (Texts{"cp", ".mbarrier::complete_tx::bytes", ".L2::128B", "x"}));
  EXPECT_EQ(texts("ts: .branchtargets"), (Texts{"ts", ":", ".branchtargets"}));
  EXPECT_EQ(texts(".x:: y"), (Texts{".x", ":", ":", "y"}));
}

TEST(Lexer, SkipsBlanksAndComments) {
  EXPECT_EQ(texts(" a // b\n/* c\n d */ e\r\n\tf//"), (Texts{"a", "e", "f"}));
}

TEST(Lexer, CountsLinesAndColumns) {
  Lexer lexer("a\n  b /* x\ny */ c\n\n\td");
  std::vector<std::pair<int, int>> places;
  for (Token token = lexer.next(); !token.is(end); token = lexer.next()) places.emplace_back(token.line, token.column);
  EXPECT_EQ(places, (std::vector<std::pair<int, int>>{{1, 1}, {2, 3}, {3, 6}, {5, 2}}));
}

TEST(Lexer, ExplainsBrokenTokens) {
  EXPECT_EQ(texts("a /* b"), (Texts{"a", "! this comment does not end"}));
  EXPECT_EQ(texts("\"a"), (Texts{"! this string does not end on its line"}));
  EXPECT_EQ(texts("\"a\n\""), (Texts{"! this string does not end on its line"}));
  EXPECT_EQ(texts("\"a\\"), (Texts{"! this string does not end on its line"}));
  EXPECT_EQ(texts("0x"), (Texts{"! hexadecimal digits were expected after 0x"}));
  EXPECT_EQ(texts("0b"), (Texts{"! binary digits were expected after 0b"}));
  EXPECT_EQ(texts("0f3F80"), (Texts{"! 8 hexadecimal digits were expected after 0f"}));
  EXPECT_EQ(texts("0d3F80"), (Texts{"! 16 hexadecimal digits were expected after 0d"}));
  EXPECT_EQ(texts("1e"), (Texts{"! digits were expected in the exponent"}));
  EXPECT_EQ(texts("12ab"), (Texts{"! 'a' cannot stand in a number"}));
  EXPECT_EQ(texts("."), (Texts{"! a name was expected after '.'"}));
  EXPECT_EQ(texts("#"), (Texts{"! '#' cannot stand here"}));
  EXPECT_EQ(texts("\x01"), (Texts{"! the byte 0x01 cannot stand here"}));
  EXPECT_EQ(texts("\xc3\xa9"), (Texts{"! the byte 0xc3 cannot stand here"}));
}

std::string braced(std::string_view text) {
  Lexer lexer(text);
  EXPECT_TRUE(lexer.next().is('{'));
  std::string content;
  const Token close = lexer.take_braced_text(content);
  if (close.is(invalid)) return "! " + lexer.problem();
  EXPECT_TRUE(close.is('}'));
  return content + "|" + std::string(lexer.next().text);
}

TEST(Lexer, TakesTextBetweenBraces) {
  EXPECT_EQ(braced("{}x"), "|x");
  EXPECT_EQ(braced("{ a  b\n\n\tc // d }\n}x"), "a b\nc|x");
  EXPECT_EQ(braced("{a{b}c}x"), "a{b}c|x");
  EXPECT_EQ(braced("{\"}  \"a/*}*/b}x"), "\"}  \"a b|x");
  EXPECT_EQ(braced("{a"), "! the section does not end: '}' is missing");
  EXPECT_EQ(braced("{\"a}"), "! this string does not end on its line");
  EXPECT_EQ(braced("{/*a}"), "! this comment does not end");
}

}  // namespace
}  // namespace assay::ptx
