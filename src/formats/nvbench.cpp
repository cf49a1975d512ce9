// SPDX-License-Identifier: MIT
#include "formats/nvbench.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "formats/fields.hpp"

namespace assay::formats {
namespace {

constexpr const char* kNvbenchFormat = "nvbench";
constexpr double kSeconds = 1e6;  // a time of theirs in microseconds
constexpr const char* kTimes = "nv/json/bin:nv/cold/sample_times";
constexpr const char* kClocks = "nv/json/freqs-bin:nv/cold/sample_freqs";

std::optional<double> number(const ordered_json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const std::string text = value.get<std::string>();
  double result = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), result);
  return problem == std::errc() && end == text.data() + text.size() && std::isfinite(result) ? std::optional(result)
                                                                                             : std::nullopt;
}

std::vector<double> floats(const std::string& bytes, double scale) {
  std::vector<double> values;
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) bits |= static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])) << (8 * i);
    const double value = std::bit_cast<float>(bits);
    if (!std::isfinite(value) || value < 0) return {};
    values.push_back(value * scale);
  }
  return values;
}

std::string bytes_of(const std::vector<double>& values, double scale) {
  std::string bytes;
  for (const double value : values) {
    const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value / scale));
    for (size_t i = 0; i < 4; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xff);
  }
  return bytes;
}

// The members "value" or "filename" of a summary's data.
const ordered_json* datum(const ordered_json& summary, const char* name) {
  if (!summary.contains("data") || !summary["data"].is_array()) return nullptr;
  for (const ordered_json& each : summary["data"]) {
    if (each.is_object() && each.contains("name") && each["name"] == name && each.contains("value"))
      return &each["value"];
  }
  return nullptr;
}

struct StateReader {
  const TextFiles& files;
  std::string folder;
  const std::string& file;
  Imported& imported;

  const TextFile* beside(const std::string& path) const {
    if (const TextFile* const found = find_file(files, folder + path)) return found;
    return find_file(files, path);
  }

  void take_samples(const ordered_json& summary, bool clocks, ForeignResult& result) const {
    const ordered_json* const name = datum(summary, "filename");
    if (name == nullptr || !name->is_string()) return;
    const TextFile* const found = beside(name->get<std::string>());
    if (found == nullptr) {
      imported.lost.push_back({file + ": " + name->get<std::string>(), "the samples' file does not lie beside it"});
      return;
    }
    std::vector<double> values = floats(found->content, clocks ? 1e-6 : kSeconds);
    if (values.empty()) imported.lost.push_back({found->path, "these are no positive numbers of 32 bits"});
    (clocks ? result.time.clocks_mhz : result.time.samples) = std::move(values);
  }

  Result<void> take_summary(const ordered_json& summary, ForeignResult& result, double& relative) const {
    Fields fields(summary, file, "summaries");
    const std::string tag = fields.text("tag");
    ASSAY_CHECK(fields.check());
    if (tag.starts_with("nv/json/")) {
      if (tag.starts_with("nv/json/bin")) take_samples(summary, false, result);
      if (tag.starts_with("nv/json/freqs-bin")) take_samples(summary, true, result);
      return {};
    }
    const ordered_json* const value = datum(summary, "value");
    const auto figure = value == nullptr ? std::nullopt : number(*value);
    if (!figure) {
      if (value != nullptr && value->is_string()) return {};  // words, for people
      imported.lost.push_back({file + ": " + tag, "it has no number"});
      return {};
    }
    const auto time = [&](std::optional<double>& place) {
      if (*figure >= 0) place = *figure * kSeconds;
    };
    if (tag == "nv/cold/time/gpu/mean") {
      time(result.time.mean);
    } else if (tag == "nv/cold/time/gpu/median") {
      time(result.time.median);
    } else if (tag == "nv/cold/time/gpu/min") {
      time(result.time.least);
    } else if (tag == "nv/cold/time/gpu/max") {
      time(result.time.most);
    } else if (tag == "nv/cold/time/gpu/q1") {
      time(result.time.lower);
    } else if (tag == "nv/cold/time/gpu/q3") {
      time(result.time.upper);
    } else if (tag == "nv/cold/time/gpu/stdev/absolute") {
      time(result.time.deviation);
    } else if (tag == "nv/cold/time/gpu/stdev/relative") {
      relative = *figure;
    } else if (tag == "nv/cold/sample_size" && *figure >= 0 && *figure < 1e15) {
      result.time.count = static_cast<int64_t>(*figure);
    } else {
      result.other[tag] = *figure;
    }
    return {};
  }

  Result<void> take(const ordered_json& state, const std::string& benchmark,
                    const std::map<int64_t, std::string>& devices) const {
    Fields fields(state, file, benchmark);
    ForeignResult result;
    result.task = benchmark;
    result.contender = benchmark;
    result.protocol = "nvbench cold";
    static_cast<void>(fields.maybe_text("name"));
    const auto device = fields.maybe_integer("device");
    if (device && devices.contains(*device)) result.device = devices.at(*device);
    const bool skipped = fields.maybe_truth("is_skipped").value_or(false);
    const auto reason = fields.maybe_text("skip_reason");
    const ordered_json* const axes = fields.maybe_list("axis_values");
    const ordered_json* const summaries = fields.maybe_list("summaries");
    ASSAY_CHECK(fields.check());
    if (skipped) result.status = Status::skipped;
    if (skipped) result.message = reason.value_or("");
    if (axes != nullptr) {
      for (const ordered_json& each : *axes) {
        Fields axis(each, file, benchmark + ".axis_values");
        const std::string name = axis.text("name");
        const ordered_json* const value = axis.any("value");
        ASSAY_CHECK(axis.check());
        if (value == nullptr) continue;
        result.shape += fmt::format("{}{}={}", result.shape.empty() ? "" : ",", name,
                                    value->is_string() ? value->get<std::string>() : value->dump());
      }
    }
    double relative = -1;
    if (summaries != nullptr) {
      for (const ordered_json& each : *summaries) ASSAY_CHECK(take_summary(each, result, relative));
    }
    if (relative >= 0 && result.time.mean && !result.time.deviation)
      result.time.deviation = relative * *result.time.mean;
    fields.leave_rest(imported.lost);
    result.record = state;
    result.record_format = kNvbenchFormat;
    imported.results.push_back(std::move(result));
    return {};
  }
};

ordered_json summary(const char* tag, const char* title, const char* hint, const char* type, const std::string& value) {
  return {
      {"tag", tag}, {"name", title}, {"hint", hint}, {"data", {{{"name", "value"}, {"type", type}, {"value", value}}}}};
}

void put_time(ordered_json& list, const char* tag, const char* title, const std::optional<double>& us) {
  if (us) list.push_back(summary(tag, title, "duration", "float64", fmt::format("{}", *us / kSeconds)));
}

ordered_json file_summary(const char* tag, const char* title, const char* hint, const std::string& file, size_t count) {
  return {{"tag", tag},
          {"name", title},
          {"hint", hint},
          {"hide", "Not needed in table."},
          {"data",
           {{{"name", "filename"}, {"type", "string"}, {"value", file}},
            {{"name", "size"}, {"type", "int64"}, {"value", std::to_string(count)}}}}};
}

bool is_integer(const std::string& text) {
  int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return problem == std::errc() && end == text.data() + text.size();
}

// A state whose record is theirs already, or one of our own figures.
ordered_json state_of(const ForeignResult& result, int64_t device, const std::string& folder, size_t number,
                      Written& written) {
  ordered_json state;
  std::string name = fmt::format("Device={}", device);
  ordered_json axes = ordered_json::array();
  std::vector<std::pair<std::string, std::string>> values = named_values(result.shape);
  for (const auto& each : named_values(result.configuration)) values.push_back(each);
  for (const auto& [axis, value] : values) {
    name += fmt::format(" {}={}", axis, value);
    axes.push_back({{"name", axis}, {"type", is_integer(value) ? "int64" : "string"}, {"value", value}});
  }
  const bool skipped = !result.time.any();
  state["name"] = name;
  state["device"] = device;
  state["type_config_index"] = 0;
  state["axis_values"] = std::move(axes);
  ordered_json summaries = ordered_json::array();
  const Statistics& time = result.time;
  if (time.count)
    summaries.push_back(summary("nv/cold/sample_size", "Samples", "sample_size", "int64", std::to_string(*time.count)));
  put_time(summaries, "nv/cold/time/gpu/mean", "Mean GPU Time", time.mean);
  put_time(summaries, "nv/cold/time/gpu/median", "Median GPU Time", time.median);
  put_time(summaries, "nv/cold/time/gpu/min", "Min GPU Time", time.least);
  put_time(summaries, "nv/cold/time/gpu/max", "Max GPU Time", time.most);
  put_time(summaries, "nv/cold/time/gpu/q1", "Q1 GPU Time", time.lower);
  put_time(summaries, "nv/cold/time/gpu/q3", "Q3 GPU Time", time.upper);
  put_time(summaries, "nv/cold/time/gpu/stdev/absolute", "Noise (absolute)", time.deviation);
  if (time.deviation && time.mean && *time.mean > 0)
    summaries.push_back(summary("nv/cold/time/gpu/stdev/relative", "Noise", "percentage", "float64",
                                fmt::format("{}", *time.deviation / *time.mean)));
  if (!time.samples.empty()) {
    const std::string path = fmt::format("{}/{}.bin", folder, number);
    written.files.push_back({path, bytes_of(time.samples, kSeconds)});
    summaries.push_back(file_summary(kTimes, "Samples Times File", "file/sample_times", path, time.samples.size()));
  }
  if (!time.clocks_mhz.empty()) {
    const std::string path = fmt::format("{}/{}-freqs.bin", folder, number);
    written.files.push_back({path, bytes_of(time.clocks_mhz, 1e-6)});
    summaries.push_back(
        file_summary(kClocks, "Samples Frequencies File", "file/sample_freqs", path, time.clocks_mhz.size()));
  }
  summaries.push_back({{"tag", "assay/protocol"},
                       {"name", "Protocol"},
                       {"hint", ""},
                       {"data", {{{"name", "value"}, {"type", "string"}, {"value", result.protocol}}}}});
  state["summaries"] = std::move(summaries);
  state["is_skipped"] = skipped;
  if (skipped)
    state["skip_reason"] = result.message.empty() ? std::string(formats::name(result.status)) : result.message;
  return state;
}

}  // namespace

Result<Imported> read_nvbench(const TextFiles& files) {
  Imported imported;
  imported.format = kNvbenchFormat;
  bool any = false;
  for (const TextFile& file : files) {
    if (!file.path.ends_with(".json") && files.size() > 1) continue;
    ASSAY_TRY(const ordered_json json, parse_ordered(file.content, file.path));
    if (!json.is_object() || !json.contains("benchmarks") || !json["benchmarks"].is_array()) {
      if (files.size() > 1) continue;
      return Error{"this is no file of NVBench: it has no list 'benchmarks'", Place{file.path}};
    }
    any = true;
    Fields top(json, file.path);
    std::map<int64_t, std::string> devices;
    if (const ordered_json* const list = top.maybe_list("devices")) {
      for (const ordered_json& each : *list) {
        Fields device(each, file.path, "devices");
        const auto id = device.maybe_integer("id");
        const auto name = device.maybe_text("name");
        ASSAY_CHECK(device.check());
        if (id && name) devices[*id] = *name;
      }
    }
    static_cast<void>(top.any("meta"));
    const ordered_json* const benchmarks = top.maybe_list("benchmarks");
    ASSAY_CHECK(top.check());
    const size_t slash = file.path.rfind('/');
    const StateReader reader{files, slash == std::string::npos ? "" : file.path.substr(0, slash + 1), file.path,
                             imported};
    for (const ordered_json& each : *benchmarks) {
      Fields benchmark(each, file.path, "benchmarks");
      const std::string name = benchmark.text("name");
      const ordered_json* const states = benchmark.maybe_list("states");
      ASSAY_CHECK(benchmark.check());
      if (states == nullptr) continue;
      for (const ordered_json& state : *states) ASSAY_CHECK(reader.take(state, name, devices));
    }
    top.leave_rest(imported.lost);
  }
  if (!any) return Error{"there is no JSON of NVBench in it"};
  return imported;
}

Written write_nvbench(const std::vector<ForeignResult>& results, const std::string& folder) {
  Written written;
  ordered_json top;
  top["meta"] = {{"version", {{"json", {{"major", 1}, {"minor", 0}, {"patch", 0}, {"string", "1.0.0"}}}}}};
  ordered_json devices = ordered_json::array();
  std::map<std::string, int64_t> device_ids;
  ordered_json benchmarks = ordered_json::array();
  std::map<std::string, size_t> indices;
  size_t number = 0;
  for (const ForeignResult& result : results) {
    const auto [device, fresh] = device_ids.try_emplace(result.device, static_cast<int64_t>(device_ids.size()));
    if (fresh) devices.push_back({{"id", device->second}, {"name", result.device}});
    const auto [found, first] = indices.try_emplace(result.contender, indices.size());
    if (first)
      benchmarks.push_back({{"name", result.contender},
                            {"index", found->second},
                            {"devices", ordered_json::array()},
                            {"axes", ordered_json::array()},
                            {"states", ordered_json::array()}});
    ordered_json& benchmark = benchmarks[found->second];
    ordered_json state = result.record_format == kNvbenchFormat && result.record.is_object()
                             ? result.record
                             : state_of(result, device->second, folder, number++, written);
    state["device"] = device->second;
    ordered_json& used = benchmark["devices"];
    if (std::find(used.begin(), used.end(), ordered_json(device->second)) == used.end()) used.push_back(device->second);
    if (state.contains("axis_values") && state["axis_values"].is_array()) {
      for (const ordered_json& value : state["axis_values"]) {
        if (!value.is_object() || !value.contains("name") || !value.contains("value")) continue;
        ordered_json& axes = benchmark["axes"];
        auto axis = std::find_if(axes.begin(), axes.end(),
                                 [&](const ordered_json& each) { return each["name"] == value["name"]; });
        if (axis == axes.end()) {
          axes.push_back({{"name", value["name"]},
                          {"type", value.contains("type") ? value["type"] : ordered_json("string")},
                          {"flags", ""},
                          {"values", ordered_json::array()}});
          axis = axes.end() - 1;
        }
        const std::string text = value["value"].is_string() ? value["value"].get<std::string>() : value["value"].dump();
        ordered_json& values = (*axis)["values"];
        const bool there = std::any_of(values.begin(), values.end(),
                                       [&](const ordered_json& each) { return each["input_string"] == text; });
        ordered_json entry = {{"input_string", text}, {"description", ""}};
        if (is_integer(text)) {
          entry["value"] = std::stoll(text);
        } else {
          entry["value"] = text;
        }
        if (!there) values.push_back(std::move(entry));
      }
    }
    const std::string where = result.contender + " " + result.shape;
    if (result.baseline.any() && result.record_format != kNvbenchFormat)
      written.lost.push_back(
          {where, fmt::format("the baseline '{}' is a benchmark of its own there", result.baseline_name)});
    if (result.status != Status::passed && result.status != Status::skipped && result.time.any())
      written.lost.push_back({where, fmt::format("the format has no place for '{}'", name(result.status))});
    benchmark["states"].push_back(std::move(state));
  }
  top["devices"] = std::move(devices);
  top["benchmarks"] = std::move(benchmarks);
  written.text = top.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return written;
}

}  // namespace assay::formats
