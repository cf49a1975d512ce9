// SPDX-License-Identifier: MIT
// Single fields of the judge's JSON. The readers throw std::exception for what is not the field they expect; the
// public from_json functions catch it at their boundary.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

#include "stats/interval.hpp"

namespace assay::judge {

nlohmann::json number(double value);  // JSON has no NaN and no infinities; they are written as words
nlohmann::json interval_json(const stats::Interval& interval);

double number_from(const nlohmann::json& value);
uint64_t whole_from(const nlohmann::json& value);  // the library would wrap negative numbers and cut off fractions
bool flag_from(const nlohmann::json& value);
std::string word_from(const nlohmann::json& value);
void expect_list(const nlohmann::json& value);
stats::Interval interval_from(const nlohmann::json& value);

// The enumerator whose to_string is the word.
template <class Enum>
Enum enum_from(const nlohmann::json& value, std::initializer_list<Enum> all) {
  const std::string word = word_from(value);
  for (const Enum candidate : all) {
    if (to_string(candidate) == word) return candidate;
  }
  throw std::invalid_argument("unknown word '" + word + "'");
}

}  // namespace assay::judge
