// SPDX-License-Identifier: MIT
#include "check/counters_json.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace assay::check {
namespace {

using nlohmann::json;

uint64_t counted(const json& value) {
  if (!value.is_number_unsigned()) throw std::invalid_argument("a counter is a whole number that is not negative");
  return value.get<uint64_t>();
}

bool take_part(std::string_view key, gpu::Counter parent, std::map<std::string, uint64_t>& parts, uint64_t count) {
  const std::string_view name = gpu::info(parent).name;
  if (!key.starts_with(name) || key.size() <= name.size() + 1 || key[name.size()] != '.') return false;
  parts[std::string(key.substr(name.size() + 1))] = count;
  return true;
}

gpu::Counters counters_from(const json& value) {
  if (!value.is_object()) throw std::invalid_argument("counters are an object");
  gpu::Counters counters;
  for (const auto& [key, number] : value.items()) {
    const uint64_t count = counted(number);
    bool known = take_part(key, gpu::Counter::ptx_instructions, counters.families, count) ||
                 take_part(key, gpu::Counter::tensor_instructions, counters.tensor, count);
    for (const gpu::CounterInfo& row : gpu::counter_table()) {
      if (row.name != key) continue;
      counters[row.counter] = count;
      known = true;
    }
    if (!known) throw std::invalid_argument("unknown counter '" + key + "'");
  }
  return counters;
}

}  // namespace

json to_json(const gpu::LaunchCounters& counters) {
  json lines = json::array();
  for (const gpu::LineCounters& line : counters.lines) {
    json values = json::object();
    for (const auto& [name, count] : line.counters.flat()) {
      if (count != 0) values[name] = count;
    }
    lines.push_back({{"file", line.line.file},
                     {"line", line.line.line},
                     {"function", line.line.function},
                     {"counters", std::move(values)}});
  }
  return {{"total", counters.total.flat()}, {"lines", std::move(lines)}};
}

gpu::LaunchCounters launch_counters_from_json(const json& value) {
  gpu::LaunchCounters counters;
  counters.total = counters_from(value.at("total"));
  const json& lines = value.at("lines");
  if (!lines.is_array()) throw std::invalid_argument("lines are a list");
  counters.lines.reserve(lines.size());
  for (const json& line : lines) {
    gpu::LineCounters entry;
    entry.line.file = line.at("file").get<std::string>();
    entry.line.line = line.at("line").get<int>();
    entry.line.function = line.at("function").get<std::string>();
    entry.counters = counters_from(line.at("counters"));
    counters.lines.push_back(std::move(entry));
  }
  return counters;
}

}  // namespace assay::check
