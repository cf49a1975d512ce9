// SPDX-License-Identifier: MIT
// Expressions against an oracle: random trees are printed with as few parentheses as the grammar needs and must
// evaluate to what the tree means, in 128 bits, so that a missed overflow shows.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "spec/expression.hpp"

namespace assay::spec {
namespace {

constexpr uint64_t kSeed = 20261115;
__extension__ using Int128 = __int128;

struct Oracle {
  std::string text;
  int precedence = 9;           // of the outermost operator; 9: needs no parentheses
  std::optional<Int128> value;  // nothing: an error somewhere below
};

std::optional<Int128> in_range(Int128 value) {
  if (value < INT64_MIN || value > INT64_MAX) return std::nullopt;
  return value;
}

std::string wrapped(const Oracle& part, int lowest) {
  return part.precedence < lowest ? "(" + part.text + ")" : part.text;
}

Oracle literal(Random& random) {
  static constexpr int64_t kEdges[] = {0, 1, 2, 3, 64, INT64_MAX, INT64_MAX / 2 + 1, int64_t{1} << 32};
  const int64_t value =
      random.below(4) == 0 ? kEdges[random.below(std::size(kEdges))] : static_cast<int64_t>(random.below(200));
  return {std::to_string(value), 9, value};
}

Oracle tree(Random& random, int depth) {
  if (depth == 0 || random.below(6) == 0) return literal(random);
  const Oracle left = tree(random, depth - 1);
  const Oracle right = tree(random, depth - 1);
  const bool known = left.value && right.value;
  const Int128 a = left.value.value_or(0);
  const Int128 b = right.value.value_or(0);
  const char* space = random.below(2) == 0 ? " " : "";
  const auto binary = [&](const char* op, int precedence, std::optional<Int128> value) {
    return Oracle{wrapped(left, precedence) + space + op + space + wrapped(right, precedence + 1), precedence,
                  known ? value : std::nullopt};
  };
  switch (random.below(6)) {
    case 0:
      return binary("+", 4, in_range(a + b));
    case 1:
      return binary("-", 4, in_range(a - b));
    case 2: {
      // Two 64-bit factors fit into 128 bits.
      return binary("*", 5, in_range(a * b));
    }
    case 3:
      return binary("%", 5, b == 0 ? std::nullopt : std::optional<Int128>(a % b));
    case 4:
      return {"-" + wrapped(left, 9), 8, left.value ? in_range(-a) : std::nullopt};
    default: {
      const Oracle other = tree(random, depth - 1);
      const Oracle& chosen = a < b ? left : other;
      return {
          fmt::format("{} < {} ? {} : {}", wrapped(left, 4), wrapped(right, 4), wrapped(left, 1), wrapped(other, 1)), 0,
          known ? chosen.value : std::nullopt};
    }
  }
}

TEST(ExpressionProperty, AgreesWithTheOracle) {
  Random random(kSeed);
  int values = 0;
  int errors = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Oracle oracle = tree(random, 4);
    const auto expression = Expression::parse(oracle.text, {});
    ASSERT_TRUE(expression.ok()) << "seed " << kSeed << " case " << i << ": " << oracle.text << ": "
                                 << to_string(expression.error());
    const auto value = expression->evaluate({});
    ASSERT_EQ(value.ok(), oracle.value.has_value()) << "seed " << kSeed << " case " << i << ": " << oracle.text;
    if (!value) {
      ++errors;
      continue;
    }
    ++values;
    ASSERT_TRUE(value->is_integer());
    ASSERT_TRUE(value->integer() == *oracle.value)
        << "seed " << kSeed << " case " << i << ": " << oracle.text << " gave " << value->integer();
  }
  EXPECT_GT(values, 1000);
  EXPECT_GT(errors, 1000);
}

TEST(ExpressionProperty, DivisionIsExactOrReal) {
  Random random(kSeed);
  for (int i = 0; i < 5'000; ++i) {
    const int64_t a = static_cast<int64_t>(random.below(2000)) - 1000;
    const int64_t b = static_cast<int64_t>(random.below(100)) - 50;
    if (b == 0) continue;
    const Bindings scope{{"a", a}, {"b", b}};
    const Value quotient = *Expression::parse("a/b", {})->evaluate(scope);
    ASSERT_EQ(quotient.is_integer(), a % b == 0) << "seed " << kSeed << ": " << a << "/" << b;
    ASSERT_DOUBLE_EQ(quotient.as_double(), static_cast<double>(a) / static_cast<double>(b));
  }
}

TEST(ExpressionProperty, RoundingUpIsTheLeastMultiple) {
  Random random(kSeed);
  const auto holds = Expression::parse(
      "round_up(a, b) % b == 0 && round_up(a, b) >= a && round_up(a, b) - a < b && ceil_div(a, b)*b == round_up(a, b)",
      {});
  for (int i = 0; i < 5'000; ++i) {
    const Bindings scope{{"a", static_cast<int64_t>(random.below(100'000))},
                         {"b", static_cast<int64_t>(1 + random.below(300))}};
    ASSERT_TRUE(*holds->evaluate_condition(scope)) << "seed " << kSeed << ": " << to_string(scope);
  }
}

TEST(ExpressionProperty, GarbageGivesAnErrorInsideTheText) {
  static constexpr std::string_view kPieces[] = {
      "1",  "S",  "+",   "-",    "*", "/",   "%",      "(",         ")",  "?",
      ":",  ",",  "min", "sqrt", " ", "<=",  "==",     "&&",        "||", "!",
      ".5", "1e", "f16", "\x80", "=", "pow", "sizeof", "next_pow2", "\n", "9999999999999999999"};
  Random random(kSeed);
  int failures = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string text;
    const uint64_t length = random.below(12);
    for (uint64_t k = 0; k < length; ++k) text += kPieces[random.below(std::size(kPieces))];
    const auto expression = Expression::parse(text, Place{"f", 1, 1});
    const auto value = expression.ok() ? expression->evaluate({{"S", 5}}) : Result<Value>(expression.error());
    if (value) continue;
    ++failures;
    ASSERT_FALSE(value.error().message.empty());
    ASSERT_GE(value.error().place.column, 1) << text;
    ASSERT_LE(value.error().place.column, static_cast<int>(text.size()) + 1) << text;
  }
  EXPECT_GT(failures, 1000);
}

}  // namespace
}  // namespace assay::spec
