// SPDX-License-Identifier: MIT
// A space as JSON: "parameters" with their values, "configurations" as rows of values, "counters" for each.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "tune/counter_table.hpp"
#include "tune/space.hpp"

namespace assay::tune {

// Values and configurations go back as they came.
struct JsonSpace {
  std::unique_ptr<Space> space;
  std::vector<std::vector<nlohmann::json>> values;  // of each parameter
  CounterTable counters;

  nlohmann::json configuration(size_t index) const;  // a list of values
};

// The values of one parameter as JSON, each once, and what they are as ParameterValues.
class JsonValues {
 public:
  // The index of a value, which is new if it was not there. Numbers are equal if their values are. Nothing for a number
  // that is not finite, and for one value more than a parameter may have.
  std::optional<uint16_t> index(const nlohmann::json& value);
  const std::vector<nlohmann::json>& list() const { return list_; }
  std::vector<ParameterValue> parameter_values() const;

 private:
  std::vector<nlohmann::json> list_;
  std::unordered_map<std::string, uint16_t> known_;
};

// Without "configurations" all combinations of the values are meant.
Result<JsonSpace> read_json_space(const nlohmann::json& object);

}  // namespace assay::tune
