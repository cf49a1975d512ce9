// SPDX-License-Identifier: MIT
// The operators and functions of expressions on values, without text or scopes. Errors carry no place: the caller knows
// it.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/value.hpp"

namespace assay::spec {

enum class BinaryOperator {
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
};

Result<Value> apply(BinaryOperator op, const Value& left, const Value& right);
Result<Value> negate(const Value& value);

// As a whole number: integers, booleans, and real numbers without a fraction that 64 bits can hold.
Result<int64_t> to_whole(const Value& value);
Result<double> to_real(const Value& value);
Result<bool> to_condition(const Value& value);

struct Function {
  std::string_view name;
  size_t min_arguments;
  size_t max_arguments;
  Result<Value> (*apply)(const std::vector<Value>& arguments);
};

const std::vector<Function>& functions();
const Function* find_function(std::string_view name);

}  // namespace assay::spec
