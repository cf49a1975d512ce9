// SPDX-License-Identifier: MIT
#include "spec/arithmetic.hpp"

#include <cmath>
#include <compare>
#include <fmt/format.h>
#include <limits>
#include <optional>

#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

constexpr size_t kMaxArguments = 64;

Error wrong(const std::string& message) {
  return mistake({}, message);
}
Error overflow() {
  return wrong("the result does not fit into a 64-bit integer");
}

// Integers and booleans as an integer; nothing for other values.
std::optional<int64_t> exact_integer(const Value& value) {
  if (value.is_integer()) return value.integer();
  if (value.is_boolean()) return value.boolean() ? 1 : 0;
  return std::nullopt;
}

Result<Value> finite(double value) {
  if (!std::isfinite(value)) return wrong("the result is not a finite number");
  return Value(value);
}

Result<Value> whole_of(double value) {
  // 2^63 itself is a double, one past the largest integer.
  if (!(value >= -0x1p63 && value < 0x1p63)) return overflow();
  return Value(static_cast<int64_t>(value));
}

Result<Value> add(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_add_overflow(a, b, &result)) return overflow();
  return Value(result);
}

Result<Value> subtract(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return overflow();
  return Value(result);
}

Result<Value> multiply(int64_t a, int64_t b) {
  int64_t result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return overflow();
  return Value(result);
}

Result<Value> divide(int64_t a, int64_t b) {
  if (b == 0) return wrong("division by zero");
  if (b == -1) return subtract(0, a);  // the one quotient that can overflow
  if (a % b == 0) return Value(a / b);
  return Value(static_cast<double>(a) / static_cast<double>(b));
}

Result<Value> remainder(const Value& left, const Value& right) {
  ASSAY_TRY(const int64_t a, to_whole(left));
  ASSAY_TRY(const int64_t b, to_whole(right));
  if (b == 0) return wrong("remainder of a division by zero");
  return Value(b == -1 ? int64_t{0} : a % b);
}

Result<Value> compare(BinaryOperator op, const Value& left, const Value& right) {
  if (left.is_dtype() != right.is_dtype() || left.is_word() != right.is_word()) {
    return wrong(fmt::format("{} cannot be compared with {}", kind_name(left.kind()), kind_name(right.kind())));
  }
  std::partial_ordering order = std::partial_ordering::unordered;
  if (left.is_dtype()) {
    if (op != BinaryOperator::equal && op != BinaryOperator::not_equal) {
      return wrong("element types have no order; expected == or !=");
    }
    order = left.dtype() <=> right.dtype();
  } else if (left.is_word()) {
    if (op != BinaryOperator::equal && op != BinaryOperator::not_equal) {
      return wrong("words have no order; expected == or !=");
    }
    order = left.word() <=> right.word();
  } else if (exact_integer(left) && exact_integer(right)) {
    order = *exact_integer(left) <=> *exact_integer(right);
  } else {
    order = left.as_double() <=> right.as_double();
  }
  switch (op) {
    case BinaryOperator::equal:
      return Value(order == 0);
    case BinaryOperator::not_equal:
      return Value(order != 0);
    case BinaryOperator::less:
      return Value(order < 0);
    case BinaryOperator::less_equal:
      return Value(order <= 0);
    case BinaryOperator::greater:
      return Value(order > 0);
    default:
      return Value(order >= 0);
  }
}

Result<Value> real_arithmetic(BinaryOperator op, double a, double b) {
  switch (op) {
    case BinaryOperator::add:
      return finite(a + b);
    case BinaryOperator::subtract:
      return finite(a - b);
    case BinaryOperator::multiply:
      return finite(a * b);
    default:
      break;
  }
  if (b == 0) return wrong("division by zero");
  return finite(a / b);
}

// ---- functions; the number of arguments has been checked ----

using Arguments = std::vector<Value>;

Result<Value> ceil_div(const Arguments& arguments) {
  ASSAY_TRY(const int64_t a, to_whole(arguments[0]));
  ASSAY_TRY(const int64_t b, to_whole(arguments[1]));
  if (b <= 0 || a < 0) {
    if (b == 0) return wrong("division by zero");
    return wrong(fmt::format("ceil_div({}, {}): expected no negative numbers", a, b));
  }
  return Value(a / b + (a % b != 0 ? 1 : 0));
}

Result<Value> round_up(const Arguments& arguments) {
  ASSAY_TRY(const Value quotient, ceil_div(arguments));
  ASSAY_TRY(const int64_t multiple, to_whole(arguments[1]));
  return multiply(quotient.integer(), multiple);
}

Result<Value> extreme(const Arguments& arguments, BinaryOperator better) {
  Value best = arguments[0];
  ASSAY_CHECK(to_real(best));
  bool all_integers = exact_integer(best).has_value();
  for (size_t i = 1; i < arguments.size(); ++i) {
    ASSAY_CHECK(to_real(arguments[i]));
    ASSAY_TRY(const Value is_better, compare(better, arguments[i], best));
    if (is_better.boolean()) best = arguments[i];
    all_integers = all_integers && exact_integer(arguments[i]).has_value();
  }
  if (all_integers) return Value(*exact_integer(best));
  return Value(best.as_double());
}

Result<Value> minimum(const Arguments& arguments) {
  return extreme(arguments, BinaryOperator::less);
}
Result<Value> maximum(const Arguments& arguments) {
  return extreme(arguments, BinaryOperator::greater);
}

Result<Value> power(const Arguments& arguments) {
  const auto base = exact_integer(arguments[0]);
  const auto exponent = exact_integer(arguments[1]);
  if (base && exponent && *exponent >= 0) {
    int64_t result = 1;
    // Bases of magnitude above 1 overflow within 63 steps; the others settle after two.
    const int64_t steps = (*base >= -1 && *base <= 1) ? (*exponent < 2 ? *exponent : 2 + *exponent % 2) : *exponent;
    for (int64_t i = 0; i < steps; ++i) {
      if (__builtin_mul_overflow(result, *base, &result)) return overflow();
    }
    return Value(result);
  }
  ASSAY_TRY(const double real_base, to_real(arguments[0]));
  ASSAY_TRY(const double real_exponent, to_real(arguments[1]));
  if (real_base == 0 && real_exponent < 0) return wrong("division by zero");
  return finite(std::pow(real_base, real_exponent));
}

Result<Value> square_root(const Arguments& arguments) {
  ASSAY_TRY(const double x, to_real(arguments[0]));
  if (x < 0) return wrong(fmt::format("sqrt of {}: expected a number that is not negative", x));
  return Value(std::sqrt(x));
}

Result<Value> logarithm(const Arguments& arguments) {
  ASSAY_TRY(const double x, to_real(arguments[0]));
  if (x <= 0) return wrong(fmt::format("log2 of {}: expected a number greater than zero", x));
  return Value(std::log2(x));
}

Result<Value> floor_of(const Arguments& arguments) {
  if (const auto integer = exact_integer(arguments[0])) return Value(*integer);
  ASSAY_TRY(const double x, to_real(arguments[0]));
  return whole_of(std::floor(x));
}

Result<Value> ceil_of(const Arguments& arguments) {
  if (const auto integer = exact_integer(arguments[0])) return Value(*integer);
  ASSAY_TRY(const double x, to_real(arguments[0]));
  return whole_of(std::ceil(x));
}

Result<Value> absolute(const Arguments& arguments) {
  if (const auto integer = exact_integer(arguments[0])) return *integer < 0 ? subtract(0, *integer) : Value(*integer);
  ASSAY_TRY(const double x, to_real(arguments[0]));
  return Value(std::fabs(x));
}

Result<Value> next_power_of_two(const Arguments& arguments) {
  ASSAY_TRY(const int64_t x, to_whole(arguments[0]));
  if (x < 1) return wrong(fmt::format("next_pow2 of {}: expected at least 1", x));
  int64_t result = 1;
  while (result < x) {
    if (result > std::numeric_limits<int64_t>::max() / 2) return overflow();
    result *= 2;
  }
  return Value(result);
}

Result<Value> size_of(const Arguments& arguments) {
  if (!arguments[0].is_dtype()) {
    return wrong(fmt::format("sizeof of {}: expected an element type", kind_name(arguments[0].kind())));
  }
  if (is_packed(arguments[0].dtype())) return Value(0.5);
  return Value(int64_t{size_bytes(arguments[0].dtype())});
}

}  // namespace

Result<int64_t> to_whole(const Value& value) {
  if (const auto integer = exact_integer(value)) return *integer;
  if (value.is_real() && value.real() == std::floor(value.real()) && std::fabs(value.real()) < 0x1p63) {
    return static_cast<int64_t>(value.real());
  }
  if (value.is_real()) return wrong(fmt::format("{} is not a whole number", to_string(value)));
  return wrong(fmt::format("{} is {}; expected a whole number", to_string(value), kind_name(value.kind())));
}

Result<double> to_real(const Value& value) {
  if (!value.is_number())
    return wrong(fmt::format("{} is {}; expected a number", to_string(value), kind_name(value.kind())));
  return value.as_double();
}

Result<bool> to_condition(const Value& value) {
  if (value.is_boolean()) return value.boolean();
  if (value.is_integer()) return value.integer() != 0;
  return wrong(fmt::format("{} is {}; expected a condition", to_string(value), kind_name(value.kind())));
}

Result<Value> apply(BinaryOperator op, const Value& left, const Value& right) {
  if (op >= BinaryOperator::equal) return compare(op, left, right);
  if (op == BinaryOperator::remainder) return remainder(left, right);
  const auto a = exact_integer(left);
  const auto b = exact_integer(right);
  if (!a || !b) {
    ASSAY_TRY(const double real_a, to_real(left));
    ASSAY_TRY(const double real_b, to_real(right));
    return real_arithmetic(op, real_a, real_b);
  }
  switch (op) {
    case BinaryOperator::add:
      return add(*a, *b);
    case BinaryOperator::subtract:
      return subtract(*a, *b);
    case BinaryOperator::multiply:
      return multiply(*a, *b);
    default:
      return divide(*a, *b);
  }
}

Result<Value> negate(const Value& value) {
  if (const auto integer = exact_integer(value)) return subtract(0, *integer);
  ASSAY_TRY(const double x, to_real(value));
  return Value(-x);
}

const std::vector<Function>& functions() {
  static const std::vector<Function> table{
      {"ceil_div", 2, 2, ceil_div},
      {"round_up", 2, 2, round_up},
      {"min", 2, kMaxArguments, minimum},
      {"max", 2, kMaxArguments, maximum},
      {"pow", 2, 2, power},
      {"sqrt", 1, 1, square_root},
      {"log2", 1, 1, logarithm},
      {"floor", 1, 1, floor_of},
      {"ceil", 1, 1, ceil_of},
      {"abs", 1, 1, absolute},
      {"next_pow2", 1, 1, next_power_of_two},
      {"sizeof", 1, 1, size_of},
  };
  return table;
}

const Function* find_function(std::string_view name) {
  for (const Function& function : functions()) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

}  // namespace assay::spec
