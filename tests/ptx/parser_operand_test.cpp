// SPDX-License-Identifier: MIT
// Operands and constant expressions.
#include <gtest/gtest.h>

#include "named_operand.hpp"
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

std::string operand_error(const std::string& text) {
  const auto result = read(text);
  if (result) return "no error: " + print(*result);
  return std::to_string(result.error().place.column - 2) + ": " + result.error().message;
}

Operand whole(uint64_t bits) {
  return {IntegerLiteral{bits, false}};
}
Operand negative(int64_t value) {
  return {IntegerLiteral{static_cast<uint64_t>(value), true}};
}

TEST(ParserOperand, ReadsNames) {
  EXPECT_EQ(operand("%r1"), named("%r1"));
  EXPECT_EQ(operand("%tid.x"), named("%tid.x"));
  EXPECT_EQ(operand("$str$4"), named("$str$4"));
  EXPECT_EQ(operand("WARP_SZ"), named("WARP_SZ"));
  EXPECT_EQ(operand("_"), Operand{Sink{}});
  EXPECT_EQ(operand("!%p1"), Operand{Negated{"%p1"}});
  EXPECT_EQ(operand("table+16"), (Operand{OffsetSymbol{"table", 16}}));
  EXPECT_EQ(operand("table-4*2"), (Operand{OffsetSymbol{"table", -8}}));
}

TEST(ParserOperand, ReadsIntegers) {
  EXPECT_EQ(operand("0"), whole(0));
  EXPECT_EQ(operand("42"), whole(42));
  EXPECT_EQ(operand("0xFFU"), whole(255));
  EXPECT_EQ(operand("017"), whole(15));
  EXPECT_EQ(operand("0b101"), whole(5));
  EXPECT_EQ(operand("-1"), negative(-1));
  EXPECT_EQ(operand("- 5"), negative(-5));
  EXPECT_EQ(operand("18446744073709551615"), whole(UINT64_MAX));
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
  EXPECT_EQ(operand("{%r1, _, 3}"), (Operand{VectorOperand{{named("%r1"), {Sink{}}, whole(3)}}}));
  EXPECT_EQ(operand("%r1|%p1"), (Operand{PairOperand{{named("%r1"), named("%p1")}}}));
  EXPECT_EQ(operand("_|p"), (Operand{PairOperand{{{Sink{}}, named("p")}}}));
  EXPECT_EQ(operand("{a,b}|p"), (Operand{PairOperand{{{VectorOperand{{named("a"), named("b")}}}, named("p")}}}));
}

TEST(ParserOperand, ReadsAddresses) {
  EXPECT_EQ(operand("[%rd1]"), (Operand{AddressOperand{{named("%rd1")}, 0, {}}}));
  EXPECT_EQ(operand("[%rd1+8]"), (Operand{AddressOperand{{named("%rd1")}, 8, {}}}));
  EXPECT_EQ(operand("[%rd1+-8]"), (Operand{AddressOperand{{named("%rd1")}, -8, {}}}));
  EXPECT_EQ(operand("[%rd1-8]"), (Operand{AddressOperand{{named("%rd1")}, -8, {}}}));
  EXPECT_EQ(operand("[sym + 4 * 3 - 2]"), (Operand{AddressOperand{{named("sym")}, 10, {}}}));
  EXPECT_EQ(operand("[16]"), (Operand{AddressOperand{{whole(16)}, 0, {}}}));
  EXPECT_EQ(operand("[%rd1, {%r1, %r2}]"),
            (Operand{AddressOperand{{named("%rd1")}, 0, {{VectorOperand{{named("%r1"), named("%r2")}}}}}}));
  EXPECT_EQ(operand("[t, s, {x}]"),
            (Operand{AddressOperand{{named("t")}, 0, {named("s"), {VectorOperand{{named("x")}}}}}}));
  EXPECT_TRUE(std::get<AddressOperand>(operand("[%rd1].unified").value).unified);
}

TEST(ParserOperand, EvaluatesConstantExpressions) {
  EXPECT_EQ(operand("1+2*3"), whole(7));
  EXPECT_EQ(operand("(1+2)*3"), whole(9));
  EXPECT_EQ(operand("10-3-2"), whole(5));
  EXPECT_EQ(operand("3-5"), negative(-2));
  EXPECT_EQ(operand("3U-5"), whole(static_cast<uint64_t>(-2)));
  EXPECT_EQ(operand("-7/2"), negative(-3));
  EXPECT_EQ(operand("-7 % 2"), negative(-1));
  EXPECT_EQ(operand("-9223372036854775808 / -1"), negative(INT64_MIN));
  EXPECT_EQ(operand("1<<4|3"), whole(19));
  EXPECT_EQ(operand("-16>>2"), negative(-4));
  EXPECT_EQ(operand("-1>>64"), negative(-1));
  EXPECT_EQ(operand("1<<64"), whole(0));
  EXPECT_EQ(operand("(.u64)-1 >> 63"), whole(1));
  EXPECT_EQ(operand("(.s64)-1 < 0"), whole(1));
  EXPECT_EQ(operand("6&3^1"), whole(3));
  EXPECT_EQ(operand("~0"), negative(-1));
  EXPECT_EQ(operand("!5"), whole(0));
  EXPECT_EQ(operand("!!5"), whole(1));
  EXPECT_EQ(operand("-1 < 1"), whole(1));
  EXPECT_EQ(operand("-1 < 1U"), whole(0));
  EXPECT_EQ(operand("2>=2 && 1!=1 || 3==3"), whole(1));
  EXPECT_EQ(operand("0 ? 4 : 1 ? 5 : 6"), whole(5));
  EXPECT_EQ(operand("+3"), whole(3));
}

TEST(ParserOperand, ExplainsErrors) {
  EXPECT_EQ(operand_error("[%rd1"), "6: expected ']' after an address, found ';'");
  EXPECT_EQ(operand_error("[]"), "2: expected an address, found ']'");
  EXPECT_EQ(operand_error("{a"), "3: expected '}' or ',' after an operand, found ';'");
  EXPECT_EQ(operand_error("{a,}"), "4: expected an operand, found '}'");
  EXPECT_EQ(operand_error("a|5"), "3: expected the name of a register or a symbol, found '5'");
  EXPECT_EQ(operand_error("1/0"), "2: division by zero in a constant expression");
  EXPECT_EQ(operand_error("5 % (1-1)"), "3: division by zero in a constant expression");
  EXPECT_EQ(operand_error("(1"), "3: expected ')' after a constant expression, found ';'");
  EXPECT_EQ(operand_error("-%r1"), "2: expected an integer constant, found '%r1'");
  EXPECT_EQ(operand_error("1 ? 2"), "6: expected ':' in a conditional expression, found ';'");
  EXPECT_EQ(operand_error("18446744073709551616"), "1: '18446744073709551616' is not an integer of 64 bits");
  EXPECT_EQ(operand_error("0b12"), "1: '0b12' is not an integer of 64 bits");
  EXPECT_EQ(operand_error("09"), "1: '09' is not an integer of 64 bits");
  EXPECT_EQ(operand_error("1e999"), "1: this number is out of range");
  EXPECT_EQ(operand_error("(a, b)"), "2: expected an integer constant, found 'a'");
}

}  // namespace
}  // namespace assay::ptx
