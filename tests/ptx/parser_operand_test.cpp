// SPDX-License-Identifier: MIT
// Operands and constant expressions.
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"

namespace assay::ptx {
namespace {

Result<Operand> read(const std::string& text) {
  const auto module = parse(".version 9.0 .target sm_90 .func f() {\nx " + text + ";\n}", "test.ptx");
  if (!module) return module.error();
  return std::get<Instruction>(std::get<Function>(module->items.at(0)).body->statements.at(0).value).operands.at(0);
}

Operand operand(const std::string& text) {
  const auto result = read(text);
  EXPECT_TRUE(result.ok()) << text << ": " << to_string(result.error());
  return result ? *result : Operand{};
}

std::string error_of(const std::string& text) {
  const auto result = read(text);
  if (result) return "no error: " + print(*result);
  return std::to_string(result.error().place.column - 2) + ": " + result.error().message;
}

Operand name(const std::string& text) {
  return {Identifier{text}};
}
Operand integer(uint64_t bits) {
  return {IntegerLiteral{bits, false}};
}
Operand negative(int64_t value) {
  return {IntegerLiteral{static_cast<uint64_t>(value), true}};
}

TEST(ParserOperand, ReadsNames) {
  EXPECT_EQ(operand("%r1"), name("%r1"));
  EXPECT_EQ(operand("%tid.x"), name("%tid.x"));
  EXPECT_EQ(operand("$str$4"), name("$str$4"));
  EXPECT_EQ(operand("WARP_SZ"), name("WARP_SZ"));
  EXPECT_EQ(operand("_"), Operand{Sink{}});
  EXPECT_EQ(operand("!%p1"), Operand{Negated{"%p1"}});
  EXPECT_EQ(operand("table+16"), (Operand{OffsetSymbol{"table", 16}}));
  EXPECT_EQ(operand("table-4*2"), (Operand{OffsetSymbol{"table", -8}}));
}

TEST(ParserOperand, ReadsIntegers) {
  EXPECT_EQ(operand("0"), integer(0));
  EXPECT_EQ(operand("42"), integer(42));
  EXPECT_EQ(operand("0xFFU"), integer(255));
  EXPECT_EQ(operand("017"), integer(15));
  EXPECT_EQ(operand("0b101"), integer(5));
  EXPECT_EQ(operand("-1"), negative(-1));
  EXPECT_EQ(operand("- 5"), negative(-5));
  EXPECT_EQ(operand("18446744073709551615"), integer(UINT64_MAX));
  EXPECT_EQ(operand("-9223372036854775808"), negative(INT64_MIN));
}

TEST(ParserOperand, ReadsReals) {
  EXPECT_EQ(operand("0f3F800000"), (Operand{FloatLiteral{0x3F800000, 32}}));
  EXPECT_EQ(operand("0D3ff0000000000000"), (Operand{FloatLiteral{0x3FF0000000000000, 64}}));
  EXPECT_EQ(operand("1.5"), (Operand{FloatLiteral{0x3FF8000000000000, 64}}));
  EXPECT_EQ(operand("1e0"), (Operand{FloatLiteral{0x3FF0000000000000, 64}}));
  EXPECT_EQ(operand("-1.0"), (Operand{FloatLiteral{0xBFF0000000000000, 64}}));
  EXPECT_EQ(operand("-0f3F800000"), (Operand{FloatLiteral{0xBF800000, 32}}));
}

TEST(ParserOperand, ReadsVectorsAndPairs) {
  EXPECT_EQ(operand("{%r1, _, 3}"), (Operand{VectorOperand{{name("%r1"), {Sink{}}, integer(3)}}}));
  EXPECT_EQ(operand("%r1|%p1"), (Operand{PairOperand{{name("%r1"), name("%p1")}}}));
  EXPECT_EQ(operand("_|p"), (Operand{PairOperand{{{Sink{}}, name("p")}}}));
  EXPECT_EQ(operand("{a,b}|p"), (Operand{PairOperand{{{VectorOperand{{name("a"), name("b")}}}, name("p")}}}));
}

TEST(ParserOperand, ReadsAddresses) {
  EXPECT_EQ(operand("[%rd1]"), (Operand{AddressOperand{{name("%rd1")}, 0, {}}}));
  EXPECT_EQ(operand("[%rd1+8]"), (Operand{AddressOperand{{name("%rd1")}, 8, {}}}));
  EXPECT_EQ(operand("[%rd1+-8]"), (Operand{AddressOperand{{name("%rd1")}, -8, {}}}));
  EXPECT_EQ(operand("[%rd1-8]"), (Operand{AddressOperand{{name("%rd1")}, -8, {}}}));
  EXPECT_EQ(operand("[sym + 4 * 3 - 2]"), (Operand{AddressOperand{{name("sym")}, 10, {}}}));
  EXPECT_EQ(operand("[16]"), (Operand{AddressOperand{{integer(16)}, 0, {}}}));
  EXPECT_EQ(operand("[%rd1, {%r1, %r2}]"),
            (Operand{AddressOperand{{name("%rd1")}, 0, {{VectorOperand{{name("%r1"), name("%r2")}}}}}}));
  EXPECT_EQ(operand("[t, s, {x}]"),
            (Operand{AddressOperand{{name("t")}, 0, {name("s"), {VectorOperand{{name("x")}}}}}}));
  EXPECT_TRUE(std::get<AddressOperand>(operand("[%rd1].unified").value).unified);
}

TEST(ParserOperand, EvaluatesConstantExpressions) {
  EXPECT_EQ(operand("1+2*3"), integer(7));
  EXPECT_EQ(operand("(1+2)*3"), integer(9));
  EXPECT_EQ(operand("10-3-2"), integer(5));
  EXPECT_EQ(operand("3-5"), negative(-2));
  EXPECT_EQ(operand("3U-5"), integer(static_cast<uint64_t>(-2)));
  EXPECT_EQ(operand("-7/2"), negative(-3));
  EXPECT_EQ(operand("-7 % 2"), negative(-1));
  EXPECT_EQ(operand("-9223372036854775808 / -1"), negative(INT64_MIN));
  EXPECT_EQ(operand("1<<4|3"), integer(19));
  EXPECT_EQ(operand("-16>>2"), negative(-4));
  EXPECT_EQ(operand("-1>>64"), negative(-1));
  EXPECT_EQ(operand("1<<64"), integer(0));
  EXPECT_EQ(operand("(.u64)-1 >> 63"), integer(1));
  EXPECT_EQ(operand("(.s64)-1 < 0"), integer(1));
  EXPECT_EQ(operand("6&3^1"), integer(3));
  EXPECT_EQ(operand("~0"), negative(-1));
  EXPECT_EQ(operand("!5"), integer(0));
  EXPECT_EQ(operand("!!5"), integer(1));
  EXPECT_EQ(operand("-1 < 1"), integer(1));
  EXPECT_EQ(operand("-1 < 1U"), integer(0));
  EXPECT_EQ(operand("2>=2 && 1!=1 || 3==3"), integer(1));
  EXPECT_EQ(operand("0 ? 4 : 1 ? 5 : 6"), integer(5));
  EXPECT_EQ(operand("+3"), integer(3));
}

TEST(ParserOperand, ExplainsErrors) {
  EXPECT_EQ(error_of("[%rd1"), "6: expected ']' after an address, found ';'");
  EXPECT_EQ(error_of("[]"), "2: expected an address, found ']'");
  EXPECT_EQ(error_of("{a"), "3: expected '}' or ',' after an operand, found ';'");
  EXPECT_EQ(error_of("{a,}"), "4: expected an operand, found '}'");
  EXPECT_EQ(error_of("a|5"), "3: expected the name of a register or a symbol, found '5'");
  EXPECT_EQ(error_of("1/0"), "2: division by zero in a constant expression");
  EXPECT_EQ(error_of("5 % (1-1)"), "3: division by zero in a constant expression");
  EXPECT_EQ(error_of("(1"), "3: expected ')' after a constant expression, found ';'");
  EXPECT_EQ(error_of("-%r1"), "2: expected an integer constant, found '%r1'");
  EXPECT_EQ(error_of("1 ? 2"), "6: expected ':' in a conditional expression, found ';'");
  EXPECT_EQ(error_of("18446744073709551616"), "1: '18446744073709551616' is not an integer of 64 bits");
  EXPECT_EQ(error_of("0b12"), "1: '0b12' is not an integer of 64 bits");
  EXPECT_EQ(error_of("09"), "1: '09' is not an integer of 64 bits");
  EXPECT_EQ(error_of("1e999"), "1: this number is out of range");
  EXPECT_EQ(error_of("(a, b)"), "2: expected an integer constant, found 'a'");
}

}  // namespace
}  // namespace assay::ptx
