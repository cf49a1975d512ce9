// SPDX-License-Identifier: MIT
// A value that a name of a specification can have: integer, real, boolean, element type or word.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "spec/dtype.hpp"

namespace assay::spec {

class Value {
 public:
  enum class Kind { integer, real, boolean, dtype, word };

  Value() : data_(int64_t{0}) {}
  Value(bool value) : data_(value) {}
  Value(DType value) : data_(value) {}
  Value(std::floating_point auto value) : data_(static_cast<double>(value)) {}
  template <std::signed_integral T>
  Value(T value) : data_(static_cast<int64_t>(value)) {}
  // By name, because text converts to a boolean too.
  static Value word(std::string text) {
    Value value;
    value.data_ = std::move(text);
    return value;
  }

  Kind kind() const { return static_cast<Kind>(data_.index()); }
  bool is_integer() const { return kind() == Kind::integer; }
  bool is_real() const { return kind() == Kind::real; }
  bool is_boolean() const { return kind() == Kind::boolean; }
  bool is_dtype() const { return kind() == Kind::dtype; }
  bool is_word() const { return kind() == Kind::word; }
  bool is_number() const { return !is_dtype() && !is_word(); }  // booleans are 0 and 1

  // The caller has looked at kind(); a wrong one is an internal error.
  int64_t integer() const { return std::get<int64_t>(data_); }
  double real() const { return std::get<double>(data_); }
  bool boolean() const { return std::get<bool>(data_); }
  DType dtype() const { return std::get<DType>(data_); }
  const std::string& word() const { return std::get<std::string>(data_); }

  // As a number: booleans are 0 and 1. What is_number() denies gives 0.
  double as_double() const;

  auto operator<=>(const Value&) const = default;
  bool operator==(const Value&) const = default;

 private:
  std::variant<int64_t, double, bool, DType, std::string> data_;
};

std::string to_string(const Value& value);     // "64", "0.5", "true", "f16", "row_major"
std::string_view kind_name(Value::Kind kind);  // "an integer", "a real number", ...

using Bindings = std::map<std::string, Value>;
std::string to_string(const Bindings& bindings);  // "BLOCK_M=64,BLOCK_N=32", in alphabetical order

}  // namespace assay::spec
