// SPDX-License-Identifier: MIT
#include "formats/kernel_tuner_cache.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "formats/json_text.hpp"
#include "tune/json_space.hpp"

namespace assay::formats {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

// Kernel Tuner's old way to say that a configuration failed was a time that no kernel takes.
constexpr double kImpossible = 1e15;

double number_or(const json& object, const char* name, double otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() && std::isfinite(found->get<double>()) ? found->get<double>()
                                                                                            : otherwise;
}

std::string text_or(const json& object, const char* name, const std::string& otherwise) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

// Of a number, also one that is written as text.
std::optional<double> time_in(const json& value) {
  double time = 0;
  if (value.is_number()) {
    time = value.get<double>();
  } else if (value.is_string()) {
    const std::string& text = value.get_ref<const std::string&>();
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), time);
    if (problem != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  }
  return time > 0 && time < kImpossible ? std::optional(time) : std::nullopt;
}

std::optional<double> mean_of(const json& list) {
  double sum = 0;
  size_t count = 0;
  for (const json& each : list) {
    const auto time = time_in(each);
    if (!time) continue;
    sum += *time;
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

// The time of an entry, or why there is none.
std::optional<double> time_of(const json& entry, const std::string& objective, std::string& failure) {
  if (const auto error = entry.find("__error__"); error != entry.end() && !error->is_null()) {
    failure = error->is_string() ? error->get<std::string>() : "error";
    return std::nullopt;
  }
  auto time = entry.find("time");
  if (time == entry.end()) time = entry.find(objective);
  if (time == entry.end()) time = entry.find("times");
  if (time != entry.end()) {
    if (const auto value = time->is_array() ? mean_of(*time) : time_in(*time)) return value;
  }
  failure = time != entry.end() && time->is_string() ? time->get<std::string>() : "InvalidConfig";
  return std::nullopt;
}

// A rate, as GFLOP/s or GFLOPS/W, is larger where a configuration is better.
bool larger_is_better(std::string_view objective) {
  return objective.ends_with("/s") || objective.ends_with("/W") || objective.ends_with("/J") || objective == "fitness";
}

// As Python writes it, in the key of an entry.
json value_in_key(std::string_view piece) {
  if (piece == "True" || piece == "true") return true;
  if (piece == "False" || piece == "false") return false;
  int64_t integer = 0;
  const char* const end = piece.data() + piece.size();
  if (const auto [stop, problem] = std::from_chars(piece.data(), end, integer); problem == std::errc() && stop == end)
    return integer;
  double real = 0;
  if (const auto [stop, problem] = std::from_chars(piece.data(), end, real);
      problem == std::errc() && stop == end && std::isfinite(real))
    return real;
  return std::string(piece);
}

bool stands_for(std::string_view piece, const json& value) {
  return value.is_string() ? piece == value.get_ref<const std::string&>() : value_in_key(piece) == value;
}

// Reads a key "64,True,a,b": one value of each parameter, in their order. A word may have commas of its own: the words
// that a parameter is known to take decide where it ends.
class KeyReader {
 public:
  KeyReader(std::string_view key, const std::vector<tune::JsonValues>& values) : key_(key), values_(values) {}

  // The values; nothing if the key names others, too few or too many.
  std::optional<std::vector<json>> read() {
    if (!go_on(0)) return std::nullopt;
    return std::move(found_);
  }

 private:
  bool go_on(size_t start) {
    const size_t p = found_.size();
    const bool last = p + 1 == values_.size();
    if (dead_.contains({p, start})) return false;
    for (size_t end = last ? key_.size() : key_.find(',', start); end != std::string_view::npos;
         end = last ? std::string_view::npos : key_.find(',', end + 1)) {
      const std::string_view piece = key_.substr(start, end - start);
      const std::vector<json>& known = values_[p].list();
      const auto match = std::ranges::find_if(known, [&](const json& value) { return stands_for(piece, value); });
      if (match == known.end() && (!known.empty() || piece.find(',') != std::string_view::npos)) continue;
      found_.push_back(match != known.end() ? *match : value_in_key(piece));
      if (last || go_on(end + 1)) return true;
      found_.pop_back();
    }
    dead_.insert({p, start});  // no other way of reading what is before leads further
    return false;
  }

  std::string_view key_;
  const std::vector<tune::JsonValues>& values_;
  std::vector<json> found_;
  std::set<std::pair<size_t, size_t>> dead_;
};

std::vector<double> samples_of(const json& entry) {
  std::vector<double> samples;
  const auto times = entry.find("times");
  if (times == entry.end() || !times->is_array()) return samples;
  for (const json& each : *times) {
    if (each.is_number() && std::isfinite(each.get<double>()) && each.get<double>() > 0)
      samples.push_back(each.get<double>());
  }
  return samples;
}

}  // namespace

Result<ReadSpace> parse_kernel_tuner_cache(std::string_view text, const std::string& name) {
  ASSAY_TRY(ParsedJson parsed, parse_json(text, name, 2));
  const Place place{name};
  const json& top = parsed.value;
  if (!top.is_object() || !top.contains("cache") || !top["cache"].is_object())
    return Error{"this is no cache of Kernel Tuner: it has no object 'cache'", place};
  if (!top.contains("tune_params_keys") || !top["tune_params_keys"].is_array() || top["tune_params_keys"].empty())
    return Error{"this is no cache of Kernel Tuner: it has no list 'tune_params_keys'", place};
  std::vector<std::string> names;
  for (const json& each : top["tune_params_keys"]) {
    if (!each.is_string()) return Error{"'tune_params_keys' holds something that is not a name", place};
    names.push_back(each.get<std::string>());
  }
  if (std::ranges::find(names, "time") != names.end())
    return Error{"a parameter is called 'time', as what was measured is", place, "give the parameter another name"};
  if (std::set<std::string>(names.begin(), names.end()).size() != names.size() ||
      names.size() > tune::kMaxSpaceParameters)
    return Error{"'tune_params_keys' names a parameter twice, or too many of them", place};

  std::vector<tune::JsonValues> values(names.size());
  if (const auto given = top.find("tune_params"); given != top.end() && given->is_object()) {
    for (size_t p = 0; p < names.size(); ++p) {
      if (!given->contains(names[p]) || !(*given)[names[p]].is_array()) continue;
      for (const json& value : (*given)[names[p]]) values[p].index(value);
    }
  }
  const std::vector<tune::JsonValues> declared = values;
  const std::string objective = text_or(top, "objective", "time");
  std::vector<uint16_t> rows;
  std::set<std::vector<uint16_t>> seen;
  std::vector<std::optional<double>> times;
  std::vector<std::string> failures;
  std::vector<std::vector<double>> samples;
  std::vector<double> compile;
  for (const auto& [key, entry] : top["cache"].items()) {
    if (!entry.is_object()) return Error{fmt::format("the entry '{}' is not an object", key), place};
    std::vector<uint16_t> row;
    std::optional<std::vector<json>> from_key;  // some files do not say the parameters again
    const bool whole = std::ranges::all_of(names, [&](const std::string& each) { return entry.contains(each); });
    if (!whole) from_key = KeyReader(key, declared).read();
    if (!whole && !from_key)
      return Error{
          fmt::format("the entry '{}' does not say its parameters, and its key does not name one value of each", key),
          place, "expected the values in the order of 'tune_params_keys', with commas between them"};
    for (size_t p = 0; p < names.size(); ++p) {
      const auto value = entry.find(names[p]);
      const auto index = values[p].index(value == entry.end() ? (*from_key)[p] : *value);
      if (!index) return Error{fmt::format("the entry '{}' has no usable value for '{}'", key, names[p]), place};
      row.push_back(*index);
    }
    if (!seen.insert(row).second) continue;
    rows.insert(rows.end(), row.begin(), row.end());
    if (larger_is_better(objective) && !entry.contains("time") && entry.contains(objective))
      return Error{fmt::format("the entry '{}' has '{}' but no 'time'", key, objective), place,
                   "a search needs times; what is larger where a configuration is better is none"};
    std::string failure;
    times.push_back(time_of(entry, objective, failure));
    failures.push_back(failure);
    samples.push_back(samples_of(entry));
    compile.push_back(number_or(entry, "compile_time", 0));
  }
  std::vector<tune::Parameter> parameters;
  for (size_t p = 0; p < names.size(); ++p) {
    if (values[p].list().empty()) return Error{fmt::format("the parameter '{}' has no values", names[p]), place};
    parameters.push_back({names[p], values[p].parameter_values()});
  }
  auto space = tune::Space::make(std::move(parameters), std::move(rows));
  if (!space) return Error{space.error().message, place};
  return ReadSpace{{text_or(top, "kernel_name", name),
                    text_or(top, "device_name", ""),
                    std::move(*space),
                    std::move(times),
                    std::move(failures),
                    std::move(samples),
                    std::move(compile),
                    {}},
                   parsed.repaired};
}

std::string to_kernel_tuner_cache(const TunedRun& run) {
  const auto as_json = [](const tune::ParameterValue& value) -> ordered_json {
    if (!value.number) return value.text;
    if (*value.number == std::floor(*value.number) && std::fabs(*value.number) < 1e15)
      return static_cast<int64_t>(*value.number);
    return *value.number;
  };
  const auto error_name = [](const std::string& failure) {
    return failure == "compile"                           ? "CompilationFailedConfig"
           : failure == "runtime" || failure == "timeout" ? "RuntimeFailedConfig"
                                                          : "InvalidConfig";
  };
  ordered_json top;
  top["device_name"] = run.device;
  top["kernel_name"] = run.kernel;
  top["problem_size"] = run.problem_size;
  top["tune_params_keys"] = ordered_json::array();
  top["tune_params"] = ordered_json::object();
  for (const tune::Parameter& parameter : run.space->parameters()) {
    top["tune_params_keys"].push_back(parameter.name);
    ordered_json& list = top["tune_params"][parameter.name] = ordered_json::array();
    for (const tune::ParameterValue& value : parameter.values) list.push_back(as_json(value));
  }
  // Cycles that were estimated are no time: they are another objective, under their own name.
  const std::string objective = run.quantity == "time" ? "time" : replace_all(run.quantity, " ", "_");
  top["objective"] = objective;
  ordered_json& cache = top["cache"] = ordered_json::object();
  for (const TunedConfiguration& each : run.configurations) {
    std::string key;
    ordered_json entry;
    for (size_t p = 0; p < run.space->width(); ++p) {
      const tune::ParameterValue& value = run.space->value(each.configuration, p);
      key += (p == 0 ? "" : ",") + value.text;
      entry[run.space->parameters()[p].name] = as_json(value);
    }
    if (each.milliseconds) {
      entry[objective] = *each.milliseconds;
      entry[objective == "time" ? "times" : objective + "_samples"] = each.samples;
    } else {
      entry[objective] = error_name(each.failure);
      entry["__error__"] = error_name(each.failure);
    }
    entry["compile_time"] = each.compile_milliseconds;
    entry["verification_time"] = each.check_milliseconds;
    entry["benchmark_time"] = each.measure_milliseconds;
    entry["strategy_time"] = each.search_milliseconds;
    entry["framework_time"] = 0.0;
    entry["timestamp"] = each.timestamp;
    cache[key] = std::move(entry);
  }
  return top.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace assay::formats
