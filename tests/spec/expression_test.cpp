// SPDX-License-Identifier: MIT
// Values, kinds and messages of expressions, as tables.
#include "spec/expression.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace assay::spec {
namespace {

const Bindings kScope{{"S", 512}, {"D", 64}, {"N", 7}, {"causal", true}, {"full", false}, {"dtype", DType::bf16}};

Result<Value> evaluate(const std::string& text) {
  auto expression = Expression::parse(text, Place{"kernel.toml", 3, 10});
  if (!expression) return expression.error();
  return expression->evaluate(kScope);
}

struct Case {
  std::string text;
  Value expected;
};

TEST(Expression, Values) {
  const std::vector<Case> cases{
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"10 - 4 - 3", 3},
      {"100/10/2", 5},
      {"-2*-3", 6},
      {"- -2", 2},
      {"+5", 5},
      {"!true", false},
      {"!0", true},
      {"S/2", 256},
      {"7/2", 3.5},
      {"1/sqrt(D)", 0.125},
      {"S % 100", 12},
      {"-7 % 3", -1},
      {"S/2 % 100", 56},
      {"1 < 2 && 2 < 3", true},
      {"1 == 1.0", true},
      {"3 != 3", false},
      {"2 >= 2 || 1/0 > 0", true},
      {"false && 1/0 > 0", false},
      {"causal ? 0.5 : 1", 0.5},
      {"full ? 1/0 : 1", 1},
      {"true ? 1 : false ? 2 : 3", 1},
      {"false ? 1 : false ? 2 : 3", 3},
      {"1 + causal", 2},
      {"causal*S", 512},
      {"ceil_div(S, 100)", 6},
      {"ceil_div(500, 100)", 5},
      {"ceil_div(0, 100)", 0},
      {"round_up(S + 1, 64)", 576},
      {"min(3, 2, 9)", 2},
      {"max(3, 2.5)", 3.0},
      {"max(1, 2)", 2},
      {"pow(2, 10)", 1024},
      {"pow(-1, 9223372036854775807)", -1},
      {"pow(2, -1)", 0.5},
      {"pow(0, 0)", 1},
      {"sqrt(16)", 4.0},
      {"log2(64)", 6.0},
      {"floor(3.7)", 3},
      {"floor(-3.2)", -4},
      {"ceil(3.2)", 4},
      {"abs(-4)", 4},
      {"abs(-4.5)", 4.5},
      {"next_pow2(65)", 128},
      {"next_pow2(64)", 64},
      {"next_pow2(1)", 1},
      {"sizeof(dtype)*2", 4},
      {"sizeof(f64)", 8},
      {"dtype == bf16", true},
      {"dtype != bf16 || N == 7", true},
      {"1e3", 1000.0},
      {"1.5E-1", 0.15},
      {".5", 0.5},
      {"  1\t+\n1 ", 2},
      {"9223372036854775807", INT64_MAX},
      {"-9223372036854775807 - 1", INT64_MIN},
      {"(-9223372036854775807 - 1) % -1", 0},
  };
  for (const Case& row : cases) {
    const auto value = evaluate(row.text);
    ASSERT_TRUE(value.ok()) << row.text << ": " << to_string(value.error());
    EXPECT_EQ(value->kind(), row.expected.kind()) << row.text;
    EXPECT_EQ(*value, row.expected) << row.text << " gave " << to_string(*value);
  }
}

struct Mistake {
  std::string text;
  int column;  // the expression begins in column 10
  std::string message;
};

TEST(Expression, Mistakes) {
  const std::vector<Mistake> cases{
      {"", 10, "the expression is empty"},
      {"   ", 10, "the expression is empty"},
      {"1 +", 13, "the expression \"1 +\" ends too early; expected a number, a name or '('"},
      {"1 2", 12, "unexpected '2' in \"1 2\"; expected an operator or the end of the expression"},
      {"(1", 12, "the expression \"(1\" ends too early; expected ')'"},
      {"1 ? 2", 15, "the expression \"1 ? 2\" ends too early; expected ':' of a ?: choice"},
      {"1 < 2 == true", 16, "comparisons do not chain"},
      {"sin(1)", 10, "unknown function \"sin\""},
      {"min(1)", 10, "min has 1 argument; expected at least 2"},
      {"pow(1, 2, 3)", 10, "pow has 3 arguments; expected 2"},
      {"1 + T", 14, "undefined name \"T\" in \"1 + T\""},
      {"N/0", 11, "division by zero, in \"N/0\" with N=7"},
      {"1/0.0", 11, "division by zero, in \"1/0.0\""},
      {"N % (S - 512)", 12, "remainder of a division by zero, in \"N % (S - 512)\" with N=7,S=512"},
      {"ceil_div(1, 0)", 10, "division by zero, in \"ceil_div(1, 0)\""},
      {"pow(0, -1)", 10, "division by zero, in \"pow(0, -1)\""},
      {"7.5 % 2", 14, "7.5 is not a whole number, in \"7.5 % 2\""},
      {"9223372036854775807 + 1", 30, "the result does not fit into a 64-bit integer, in \"9223372036854775807 + 1\""},
      {"pow(10, 19)", 10, "the result does not fit into a 64-bit integer, in \"pow(10, 19)\""},
      {"next_pow2(9223372036854775807)", 10,
       "the result does not fit into a 64-bit integer, in \"next_pow2(9223372036854775807)\""},
      {"floor(1e30)", 10, "the result does not fit into a 64-bit integer, in \"floor(1e30)\""},
      {"1e308*10", 15, "the result is not a finite number, in \"1e308*10\""},
      {"sqrt(-1)", 10, "sqrt of -1: expected a number that is not negative, in \"sqrt(-1)\""},
      {"log2(0)", 10, "log2 of 0: expected a number greater than zero, in \"log2(0)\""},
      {"1e999", 10, "the number 1e999 does not fit into 64 bits"},
      {"1.5 ? 1 : 2", 10, "1.5 is a real number; expected a condition, in \"1.5 ? 1 : 2\""},
      {"dtype + 1", 16, "bf16 is an element type; expected a number, in \"dtype + 1\" with dtype=bf16"},
      {"dtype < f16", 16, "element types have no order; expected == or !=, in \"dtype < f16\" with dtype=bf16"},
      {"dtype == 1", 16, "an element type cannot be compared with an integer, in \"dtype == 1\" with dtype=bf16"},
      {"max(dtype, 1)", 10, "bf16 is an element type; expected a number, in \"max(dtype, 1)\" with dtype=bf16"},
  };
  for (const Mistake& row : cases) {
    const auto value = evaluate(row.text);
    ASSERT_FALSE(value.ok()) << row.text << " gave " << to_string(*value);
    EXPECT_EQ(value.error().message, row.message);
    EXPECT_EQ(value.error().place, (Place{"kernel.toml", 3, row.column})) << row.text;
    EXPECT_EQ(value.error().exit_code, ExitCode::usage);
  }
}

TEST(Expression, SuggestsTheNameThatWasMeant) {
  const auto value = evaluate("1 + causl");
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.error().hint, "did you mean \"causal\"?");
}

TEST(Expression, NamesAreWhatItNeedsFromTheScope) {
  const auto expression = Expression::parse("S > 1 ? ceil_div(D, S) : sizeof(f16) + true", {});
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->names(), (std::set<std::string>{"D", "S"}));
}

TEST(Expression, PlaceOfTheFirstUse) {
  const auto expression = Expression::parse("1 + S*S", Place{"f", 2, 5});
  ASSERT_TRUE(expression.ok());
  EXPECT_EQ(expression->place_of("S"), (Place{"f", 2, 9}));
}

TEST(Expression, WholeNumbersMayComeFromReals) {
  const auto half = Expression::parse("S*0.5", {});
  EXPECT_EQ(*half->evaluate_integer(kScope), 256);
  const auto quarter = Expression::parse("N*0.25", Place{"f", 1, 1});
  const auto failed = quarter->evaluate_integer(kScope);
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().message, "\"N*0.25\": 1.75 is not a whole number, with N=7");
}

TEST(Expression, DepthIsLimited) {
  EXPECT_TRUE(Expression::parse(std::string(60, '(') + "1" + std::string(60, ')'), {}).ok());
  EXPECT_FALSE(Expression::parse(std::string(70, '(') + "1" + std::string(70, ')'), {}).ok());
  EXPECT_FALSE(Expression::parse(std::string(1000, '-') + "1", {}).ok());
  std::string chain = "1";
  for (int i = 0; i < 300; ++i) chain += "+1";
  const auto sum = Expression::parse(chain, {});
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(*sum->evaluate({}), Value(301));
  for (int i = 0; i < 300; ++i) chain += "+1";
  EXPECT_FALSE(Expression::parse(chain, {}).ok());
  EXPECT_FALSE(Expression::parse(std::string(5000, ' ') + "1", {}).ok());
}

TEST(Expression, CopiesAreIndependentOfTheOriginal) {
  Expression copy;
  {
    const auto original = Expression::parse("S + 1", {});
    copy = *original;
  }
  EXPECT_EQ(*copy.evaluate(kScope), Value(513));
  EXPECT_EQ(*Expression().evaluate({}), Value(0));
}

}  // namespace
}  // namespace assay::spec
