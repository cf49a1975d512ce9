// SPDX-License-Identifier: MIT
#include "formats/tuned_results.hpp"

#include <charconv>
#include <fmt/format.h>

#include "formats/t4.hpp"

namespace assay::formats {
namespace {

using nlohmann::ordered_json;

Status status_of(const std::string& failure) {
  if (failure.find("ompil") != std::string::npos || failure == "compile") return Status::compile_error;
  if (failure == "correctness") return Status::incorrect;
  if (failure == "timeout") return Status::timeout;
  if (failure == "constraints") return Status::skipped;
  return Status::runtime_error;
}

const char* invalidity(Status status) {
  switch (status) {
    case Status::passed:
    case Status::unverified:
      return "correct";
    case Status::incorrect:
    case Status::cheating:
      return "correctness";
    case Status::compile_error:
      return "compile";
    case Status::timeout:
      return "timeout";
    case Status::skipped:
      return "constraints";
    case Status::runtime_error:
      break;
  }
  return "runtime";
}

ordered_json value_of(const std::string& text) {
  int64_t integer = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, problem] = std::from_chars(text.data(), end, integer); problem == std::errc() && stop == end)
    return integer;
  double real = 0;
  if (const auto [stop, problem] = std::from_chars(text.data(), end, real); problem == std::errc() && stop == end)
    return real;
  if (text == "true" || text == "false") return text == "true";
  return text;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& each : values) each *= factor;
  return values;
}

}  // namespace

Result<Imported> parse_tuned_results(std::string_view text, const std::string& name) {
  Imported imported;
  auto read = parse_kernel_tuner_cache(text, name);
  imported.format = "kernel-tuner";
  if (!read && text.find("\"results\"") != std::string_view::npos) {
    read = parse_t4(text, name);
    imported.format = "t4";
  }
  if (!read) return read.error();
  imported.repaired = read->repaired;
  const tune::RecordedSpace& recorded = read->recorded;
  for (size_t i = 0; i < recorded.space.size(); ++i) {
    ForeignResult result;
    result.task = recorded.name;
    result.contender = recorded.name;
    result.device = recorded.device;
    result.protocol = imported.format + " mean";
    for (size_t p = 0; p < recorded.space.width(); ++p)
      result.configuration += fmt::format("{}{}={}", p == 0 ? "" : ",", recorded.space.parameters()[p].name,
                                          recorded.space.value(i, p).text);
    if (recorded.milliseconds[i]) {
      result.status = Status::unverified;  // whether it was compared with anything, the file does not say
      result.time.mean = *recorded.milliseconds[i] * 1000;
      result.time.samples = scaled(recorded.samples[i], 1000);
      if (!result.time.samples.empty()) result.time.count = static_cast<int64_t>(result.time.samples.size());
    } else {
      result.status = status_of(recorded.failures[i]);
      result.message = recorded.failures[i];
    }
    if (recorded.compile_milliseconds[i] > 0) result.other["compile_ms"] = recorded.compile_milliseconds[i];
    imported.results.push_back(std::move(result));
  }
  imported.lost.push_back(
      {name, "further metrics of each configuration, and times of the tuner itself, are not taken along"});
  if (imported.format == "t4" && text.find("\"timeunit\"") == std::string_view::npos)
    imported.lost.push_back({name, "the file does not say its unit of time; taken for milliseconds, as its makers do"});
  if (imported.format == "t4") imported.lost.push_back({name, "the file says neither the kernel's name nor the GPU's"});
  return imported;
}

Written write_t4(const std::vector<ForeignResult>& results) {
  Written written;
  ordered_json top;
  top["schema_version"] = "1.0.0";
  top["metadata"] = {{"timeunit", "milliseconds"}};
  ordered_json list = ordered_json::array();
  for (const ForeignResult& result : results) {
    const std::string where = result.task + " " + result.configuration;
    ordered_json configuration = ordered_json::object();
    for (const auto& [name, value] : named_values(result.configuration)) configuration[name] = value_of(value);
    if (!result.shape.empty() || !result.device.empty())
      written.lost.push_back({where, fmt::format("the format has no place for the shape ({}) and the GPU ({})",
                                                 result.shape, result.device)});
    if (result.baseline.any())
      written.lost.push_back({where, fmt::format("the baseline '{}' is no configuration", result.baseline_name)});
    const bool timed = result.time.any() && (result.status == Status::passed || result.status == Status::unverified);
    ordered_json measurements = ordered_json::array();
    if (timed && result.time.mean)
      measurements.push_back({{"name", "time"}, {"value", *result.time.mean / 1000}, {"unit", "ms"}});
    if (timed && result.time.median)
      measurements.push_back({{"name", "median"}, {"value", *result.time.median / 1000}, {"unit", "ms"}});
    const auto compile = result.other.find("compile_ms");
    list.push_back({{"timestamp", result.when},
                    {"configuration", std::move(configuration)},
                    {"objectives", {"time"}},
                    {"times",
                     {{"compilation_time", compile == result.other.end() ? 0.0 : compile->second},
                      {"runtimes", timed ? scaled(result.time.samples, 1e-3) : std::vector<double>()}}},
                    {"invalidity", invalidity(result.status)},
                    {"correctness", timed ? 1 : 0},
                    {"measurements", std::move(measurements)}});
  }
  top["results"] = std::move(list);
  written.text = top.dump(1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return written;
}

}  // namespace assay::formats
