// SPDX-License-Identifier: MIT
#include "formats/t4.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/escape.hpp"
#include "formats/json_text.hpp"
#include "tune/json_space.hpp"

namespace assay::formats {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// In milliseconds.
std::optional<double> unit_of_time(const json& unit) {
  const std::string text = unit.is_string() ? unit.get<std::string>() : "";
  if (text.starts_with("micro") || text == "us") return 1e-3;
  if (text.starts_with("nano") || text == "ns") return 1e-6;
  if (text.starts_with("sec") || text == "s") return 1e3;
  if (text.starts_with("mil") || text == "ms") return 1.0;  // some files spell it with one l
  return std::nullopt;
}

Result<double> milliseconds_per(const json& top, const std::string& name) {
  const auto metadata = top.find("metadata");
  if (metadata == top.end() || !metadata->is_object() || !metadata->contains("timeunit")) return 1.0;
  const json& unit = (*metadata)["timeunit"];
  if (const auto known = unit_of_time(unit)) return *known;
  return Error{fmt::format("the unit of time '{}' is not known",
                           escape_terminal(unit.is_string() ? unit.get<std::string>() : unit.dump())),
               Place{name}, "expected milliseconds, microseconds, nanoseconds or seconds in metadata.timeunit"};
}

bool is_time(const json& value) {
  return value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0;
}

double number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() && std::isfinite(found->get<double>()) ? found->get<double>() : 0;
}

struct Entry {
  std::optional<double> time;
  std::string failure;
  std::vector<double> samples;
  double compile = 0;
};

Entry read_entry(const json& result, double scale) {
  Entry entry;
  const json none = json::object();
  const auto times = result.find("times");
  const json& all_times = times != result.end() && times->is_object() ? *times : none;
  entry.compile = std::max(number_in(all_times, "compilation_time"), number_in(all_times, "compilation")) * scale;
  if (const auto runs = all_times.find("runtimes"); runs != all_times.end() && runs->is_array()) {
    for (const json& each : *runs) {
      if (is_time(each)) entry.samples.push_back(each.get<double>() * scale);
    }
  }
  const auto invalidity = result.find("invalidity");
  const std::string verdict =
      invalidity != result.end() && invalidity->is_string() ? invalidity->get<std::string>() : "correct";
  if (verdict != "correct") {
    entry.failure = verdict;
    return entry;
  }
  if (const auto list = result.find("measurements"); list != result.end() && list->is_array()) {
    for (const json& each : *list) {
      if (!each.is_object() || !each.contains("name") || each["name"] != "time" || !each.contains("value")) continue;
      const json& value = each["value"];
      // Its own unit goes before that of the file.
      const auto unit = each.contains("unit") ? unit_of_time(each["unit"]) : std::nullopt;
      if (is_time(value)) entry.time = value.get<double>() * unit.value_or(scale);
      if (value.is_string()) entry.failure = value.get<std::string>();
    }
  }
  if (!entry.time && entry.failure.empty() && !entry.samples.empty()) {
    double sum = 0;
    for (const double each : entry.samples) sum += each;
    entry.time = sum / static_cast<double>(entry.samples.size());
  }
  if (!entry.time && entry.failure.empty()) entry.failure = "no time";
  return entry;
}

}  // namespace

Result<ReadSpace> parse_t4(std::string_view text, const std::string& name) {
  ASSAY_TRY(ParsedJson parsed, parse_json(text, name, 2));
  const Place place{name};
  const json& top = parsed.value;
  if (!top.is_object() || !top.contains("results") || !top["results"].is_array() || top["results"].empty())
    return Error{"this is not T4: it has no list 'results'", place};
  ASSAY_TRY(const double scale, milliseconds_per(top, name));
  std::vector<std::string> names;
  std::vector<tune::JsonValues> values;
  std::vector<uint16_t> rows;
  std::set<std::vector<uint16_t>> seen;
  std::vector<Entry> entries;
  for (const json& result : top["results"]) {
    if (!result.is_object() || !result.contains("configuration") || !result["configuration"].is_object())
      return Error{fmt::format("result {} has no configuration", entries.size()), place};
    const json& configuration = result["configuration"];
    if (configuration.empty()) return Error{fmt::format("result {} has no parameters", entries.size()), place};
    if (names.empty()) {
      for (const auto& [key, value] : configuration.items()) names.push_back(key);
      values.resize(names.size());
    }
    if (configuration.size() != names.size() || names.size() > tune::kMaxSpaceParameters)
      return Error{fmt::format("result {} has other parameters than the first one", entries.size()), place};
    std::vector<uint16_t> row;
    for (size_t p = 0; p < names.size(); ++p) {
      const auto value = configuration.find(names[p]);
      const auto index = value == configuration.end() ? std::nullopt : values[p].index(*value);
      if (!index) return Error{fmt::format("result {} has no usable value for '{}'", entries.size(), names[p]), place};
      row.push_back(*index);
    }
    if (!seen.insert(row).second) continue;
    rows.insert(rows.end(), row.begin(), row.end());
    entries.push_back(read_entry(result, scale));
  }
  std::vector<tune::Parameter> parameters;
  for (size_t p = 0; p < names.size(); ++p) parameters.push_back({names[p], values[p].parameter_values()});
  auto space = tune::Space::make(std::move(parameters), std::move(rows));
  if (!space) return Error{space.error().message, place};
  tune::RecordedSpace recorded{name, "", std::move(*space), {}, {}, {}, {}, {}};
  for (Entry& entry : entries) {
    recorded.milliseconds.push_back(entry.time);
    recorded.failures.push_back(entry.failure);
    recorded.samples.push_back(std::move(entry.samples));
    recorded.compile_milliseconds.push_back(entry.compile);
  }
  return ReadSpace{std::move(recorded), parsed.repaired};
}

std::string to_t4(const TunedRun& run) {
  ordered_json top;
  top["schema_version"] = "1.0.0";
  top["metadata"] = {{"timeunit", "milliseconds"}};
  ordered_json& results = top["results"] = ordered_json::array();
  for (const TunedConfiguration& each : run.configurations) {
    ordered_json configuration = ordered_json::object();
    for (size_t p = 0; p < run.space->width(); ++p) {
      const tune::ParameterValue& value = run.space->value(each.configuration, p);
      const std::string& parameter = run.space->parameters()[p].name;
      if (!value.number)
        configuration[parameter] = value.text;
      else if (*value.number == std::floor(*value.number) && std::fabs(*value.number) < 1e15)
        configuration[parameter] = static_cast<int64_t>(*value.number);
      else
        configuration[parameter] = *value.number;
    }
    ordered_json measurements = ordered_json::array();
    if (each.milliseconds)
      measurements.push_back({{"name", run.quantity}, {"value", *each.milliseconds}, {"unit", run.unit}});
    results.push_back({{"timestamp", each.timestamp},
                       {"configuration", std::move(configuration)},
                       {"objectives", {run.quantity}},
                       {"times",
                        {{"compilation_time", each.compile_milliseconds},
                         {"framework", 0.0},
                         {"search_algorithm", each.search_milliseconds},
                         {"validation", each.check_milliseconds},
                         {"runtimes", each.milliseconds ? each.samples : std::vector<double>{}}}},
                       {"invalidity", each.milliseconds ? "correct" : each.failure},
                       {"correctness", each.milliseconds ? 1 : 0},
                       {"measurements", std::move(measurements)}});
  }
  return top.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

Result<ReadSpace> read_recorded_space(const std::filesystem::path& path) {
  ASSAY_TRY(const std::string text, read_text(path));
  const std::string name = path.string();
  auto cache = parse_kernel_tuner_cache(text, name);
  if (cache) return cache;
  if (text.find("\"results\"") == std::string::npos) return cache;
  auto t4 = parse_t4(text, name);
  if (t4) t4->recorded.name = path.stem().string();
  return t4;
}

}  // namespace assay::formats
