// SPDX-License-Identifier: MIT
#include "judge/json_fields.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace assay::judge {

using nlohmann::json;

json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

json interval_json(const stats::Interval& interval) {
  return json::array({number(interval.low), number(interval.high)});
}

double number_from(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) throw std::invalid_argument(std::string("expected a number, found ") + value.type_name());
  const std::string word = word_from(value);
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf") return std::numeric_limits<double>::infinity();
  if (word == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::invalid_argument("'" + word + "' is not a number");
}

uint64_t whole_from(const json& value) {
  const bool whole = value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
  if (!whole) throw std::invalid_argument("expected a whole number that is not negative");
  return value.get<uint64_t>();
}

bool flag_from(const json& value) {
  if (!value.is_boolean()) throw std::invalid_argument("expected true or false");
  return value.get<bool>();
}

std::string word_from(const json& value) {
  if (!value.is_string()) throw std::invalid_argument(std::string("expected a string, found ") + value.type_name());
  return value.get<std::string>();
}

void expect_list(const json& value) {
  if (!value.is_array()) throw std::invalid_argument("expected a list");
}

stats::Interval interval_from(const json& value) {
  expect_list(value);
  if (value.size() != 2) throw std::invalid_argument("an interval has two ends");
  return {number_from(value.at(0)), number_from(value.at(1))};
}

}  // namespace assay::judge
