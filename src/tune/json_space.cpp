// SPDX-License-Identifier: MIT
#include "tune/json_space.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <unordered_set>

namespace assay::tune {
namespace {

using nlohmann::json;

constexpr size_t kMostCounters = 256;
constexpr size_t kMostName = 200;

std::string value_key(const json& value) {
  if (value.is_number()) return fmt::format("n{:.17g}", value.get<double>());
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Some programs write all values as text: "32" is as far from "64" as 32 is.
std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && stop == end && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

Result<std::vector<Parameter>> read_parameters(const json& object, std::vector<JsonValues>& values) {
  const auto list = object.find("parameters");
  if (list == object.end() || !list->is_array() || list->empty())
    return Error{"'parameters' is not a list of parameters",
                 {},
                 R"(expected: "parameters": [{"name": "BLOCK", "values": [64, 128]}])"};
  if (list->size() > kMaxSpaceParameters)
    return Error{fmt::format("there are {} parameters; at most {} are supported", list->size(), kMaxSpaceParameters)};
  std::vector<Parameter> parameters;
  std::unordered_set<std::string> names;
  for (const json& each : *list) {
    if (!each.is_object() || !each.contains("name") || !each["name"].is_string())
      return Error{fmt::format("parameter {} has no name", parameters.size())};
    const std::string name = each["name"].get<std::string>();
    if (name.size() > kMostName) return Error{fmt::format("the name of parameter {} is too long", parameters.size())};
    if (!names.insert(name).second) return Error{fmt::format("there are two parameters '{}'", name)};
    JsonValues& own = values.emplace_back();
    if (const auto given = each.find("values"); given != each.end()) {
      if (!given->is_array()) return Error{fmt::format("the values of parameter '{}' are not a list", name)};
      if (given->size() > kMaxSpaceValues)
        return Error{fmt::format("parameter '{}' has {} values; at most {} are supported", name, given->size(),
                                 kMaxSpaceValues)};
      for (const json& value : *given) {
        if (!own.index(value)) return Error{fmt::format("parameter '{}' has a value that is not finite", name)};
      }
    }
    parameters.push_back({name, {}});
  }
  return parameters;
}

// The configurations as value indices, and which of the list each of them is: one that is there twice is one.
struct Rows {
  std::vector<uint16_t> values;
  std::vector<size_t> listed;
};

Result<Rows> all_combinations(const std::vector<JsonValues>& values) {
  size_t count = 1;
  for (const JsonValues& each : values) {
    count *= each.list().size();
    if (count == 0) return Error{"there are no 'configurations', and a parameter has no values"};
    if (count > kMaxSpaceSize / 2)
      return Error{"there are no 'configurations', and the parameters have too many combinations to enumerate"};
  }
  Rows rows;
  std::vector<uint16_t> row(values.size(), 0);
  for (size_t i = 0; i < count; ++i) {
    rows.values.insert(rows.values.end(), row.begin(), row.end());
    rows.listed.push_back(i);
    for (size_t p = row.size(); p > 0 && ++row[p - 1] == values[p - 1].list().size(); --p) row[p - 1] = 0;
  }
  return rows;
}

Result<Rows> read_rows(const json& list, const std::vector<Parameter>& parameters, std::vector<JsonValues>& values) {
  if (!list.is_array() || list.empty()) return Error{"'configurations' is not a list of configurations"};
  if (list.size() > kMaxSpaceSize)
    return Error{fmt::format("there are {} configurations; at most {} are supported", list.size(), kMaxSpaceSize)};
  Rows rows;
  rows.values.reserve(list.size() * parameters.size());
  std::unordered_set<std::u16string> seen;
  seen.reserve(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    const json& each = list[i];
    std::u16string row;
    if ((!each.is_array() && !each.is_object()) || each.size() != parameters.size())
      return Error{
          fmt::format("configuration {} does not have one value for each of the {} parameters", i, parameters.size())};
    for (size_t p = 0; p < parameters.size(); ++p) {
      if (each.is_object() && !each.contains(parameters[p].name))
        return Error{fmt::format("configuration {} has no value for '{}'", i, parameters[p].name)};
      const json& value = each.is_array() ? each[p] : each[parameters[p].name];
      const auto index = values[p].index(value);
      if (!index) return Error{fmt::format("configuration {} has an unusable value for '{}'", i, parameters[p].name)};
      row.push_back(static_cast<char16_t>(*index));
    }
    if (!seen.insert(row).second) continue;
    rows.values.insert(rows.values.end(), row.begin(), row.end());
    rows.listed.push_back(i);
  }
  return rows;
}

// A list, as a block's [32, 4, 1], counts as its product.
double counter_value(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_array() || value.empty() || value.size() > 3) return kNotCounted;
  double product = 1;
  for (const json& each : value) product *= each.is_number() ? each.get<double>() : kNotCounted;
  return product;
}

Result<CounterTable> read_counters(const json& object, size_t size, const std::vector<size_t>& listed) {
  CounterTable table;
  const auto list = object.find("counters");
  if (list == object.end() || list->is_null() || (list->is_structured() && list->empty())) return table;
  if (!list->is_array() || list->size() != size)
    return Error{fmt::format("'counters' does not have one object for each of the {} configurations", size)};
  std::unordered_map<std::string, size_t> columns;
  for (const json& each : *list) {
    if (each.is_null()) continue;
    if (!each.is_object()) return Error{"'counters' holds something that is not an object"};
    for (const auto& [name, value] : each.items()) {
      if (columns.size() < kMostCounters && name.size() <= kMostName && columns.emplace(name, columns.size()).second)
        table.names.push_back(name);
    }
  }
  if (table.names.empty()) return table;
  table.values.assign(listed.size() * table.names.size(), kNotCounted);
  for (size_t i = 0; i < listed.size(); ++i) {
    const json& each = (*list)[listed[i]];
    if (!each.is_object()) continue;
    for (const auto& [name, value] : each.items()) {
      if (const auto column = columns.find(name); column != columns.end())
        table.values[i * table.names.size() + column->second] = counter_value(value);
    }
  }
  return table;
}

}  // namespace

std::optional<uint16_t> JsonValues::index(const json& value) {
  if (value.is_number() && !std::isfinite(value.get<double>())) return std::nullopt;
  const auto [found, is_new] = known_.emplace(value_key(value), static_cast<uint16_t>(list_.size()));
  if (!is_new) return found->second;
  if (list_.size() >= kMaxSpaceValues) {
    known_.erase(found);
    return std::nullopt;
  }
  list_.push_back(value);
  return found->second;
}

std::vector<ParameterValue> JsonValues::parameter_values() const {
  std::vector<ParameterValue> values;
  for (const json& each : list_) {
    if (each.is_number()) {
      values.push_back(number_value(each.get<double>()));
    } else if (each.is_boolean()) {
      values.push_back({each.get<bool>() ? 1.0 : 0.0, each.get<bool>() ? "true" : "false"});
    } else if (each.is_string()) {
      values.push_back({number_in(each.get_ref<const std::string&>()), each.get<std::string>()});
    } else {
      values.push_back(word_value(each.dump(-1, ' ', false, json::error_handler_t::replace)));
    }
  }
  return values;
}

json JsonSpace::configuration(size_t index) const {
  json list = json::array();
  const auto row = space->row(index);
  for (size_t p = 0; p < row.size(); ++p) list.push_back(values[p][row[p]]);
  return list;
}

Result<JsonSpace> read_json_space(const json& object) {
  std::vector<JsonValues> values;
  ASSAY_TRY(std::vector<Parameter> parameters, read_parameters(object, values));
  const auto list = object.find("configurations");
  auto rows = list == object.end() ? all_combinations(values) : read_rows(*list, parameters, values);
  if (!rows) return rows.error();
  for (size_t p = 0; p < parameters.size(); ++p) parameters[p].values = values[p].parameter_values();
  const size_t given = list == object.end() ? rows->listed.size() : list->size();
  ASSAY_TRY(Space space, Space::make(std::move(parameters), std::move(rows->values)));
  JsonSpace described;
  ASSAY_TRY(described.counters, read_counters(object, given, rows->listed));
  described.space = std::make_unique<Space>(std::move(space));
  for (const JsonValues& each : values) described.values.push_back(each.list());
  return described;
}

}  // namespace assay::tune
