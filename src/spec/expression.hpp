// SPDX-License-Identifier: MIT
// Arithmetic over names, as written in the strings of kernel.toml: "ceil_div(S, BLOCK_M)".
//
// Integers are 64 bits wide and overflow is an error. `/` of two integers is an integer if it divides evenly and a real
// number otherwise, so that both "S/2" and "1/sqrt(D)" mean what a person expects. Booleans count as 0 and 1. Where a
// whole number is needed (%, ceil_div, dimensions ...) a real number with a whole value will do.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "spec/value.hpp"

namespace assay::spec {

struct ExpressionNode;

class Expression {
 public:
  Expression();  // the integer 0
  // `place` is where the text's first character stands; errors point into the text from there.
  static Result<Expression> parse(std::string_view text, const Place& place);
  static Expression constant(const Value& value, const Place& place);

  const std::string& text() const { return text_; }
  const Place& place() const { return place_; }
  const std::set<std::string>& names() const { return names_; }  // what it needs from the scope
  Place place_of(const std::string& name) const;                 // of the name's first use

  Result<Value> evaluate(const Bindings& scope) const;
  Result<int64_t> evaluate_integer(const Bindings& scope) const;  // whole numbers; booleans as 0 and 1
  Result<double> evaluate_real(const Bindings& scope) const;
  Result<bool> evaluate_condition(const Bindings& scope) const;  // booleans; integers as "not zero"

 private:
  friend class ExpressionParser;

  std::string text_;
  Place place_;
  std::set<std::string> names_;
  std::shared_ptr<const std::vector<ExpressionNode>> nodes_;  // children before parents; the last one is the root
};

// Names that mean something in every expression: functions, element types, true and false.
bool is_reserved_name(std::string_view name);
// A letter or underscore, then letters, digits and underscores.
bool is_identifier(std::string_view text);

}  // namespace assay::spec
