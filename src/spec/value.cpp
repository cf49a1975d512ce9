// SPDX-License-Identifier: MIT
#include "spec/value.hpp"

#include <fmt/format.h>

namespace assay::spec {

double Value::as_double() const {
  switch (kind()) {
    case Kind::integer:
      return static_cast<double>(integer());
    case Kind::real:
      return real();
    case Kind::boolean:
      return boolean() ? 1 : 0;
    case Kind::dtype:
    case Kind::word:
      return 0;
  }
  return 0;
}

std::string to_string(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::integer:
      return std::to_string(value.integer());
    case Value::Kind::real:
      return fmt::format("{}", value.real());
    case Value::Kind::boolean:
      return value.boolean() ? "true" : "false";
    case Value::Kind::dtype:
      return std::string(name(value.dtype()));
    case Value::Kind::word:
      return value.word();
  }
  return {};
}

std::string_view kind_name(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::integer:
      return "an integer";
    case Value::Kind::real:
      return "a real number";
    case Value::Kind::boolean:
      return "a boolean";
    case Value::Kind::dtype:
      return "an element type";
    case Value::Kind::word:
      return "a word";
  }
  return {};
}

std::string to_string(const Bindings& bindings) {
  std::string text;
  for (const auto& [key, value] : bindings) {
    if (!text.empty()) text += ',';
    text += key + '=' + to_string(value);
  }
  return text;
}

}  // namespace assay::spec
