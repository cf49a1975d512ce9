// SPDX-License-Identifier: MIT
#include "work/baseline_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/file.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr int kSchema = 1;

json case_json(const BaselineCase& entry) {
  if (!entry.counters.empty()) {
    json counted{{"counters", entry.counters}};
    if (entry.estimated) counted["estimated"] = estimated_json(*entry.estimated);
    if (!entry.rates.empty()) counted["rates_measured"] = entry.rates;
    return counted;
  }
  json batches = json::array();
  for (const judge::Batch& batch : entry.batches)
    batches.push_back({{"process", batch.process},
                       {"us", batch.microseconds},
                       {"clock_mhz", batch.clock_mhz ? json(*batch.clock_mhz) : json()}});
  return {{"contract", entry.contract.fields()}, {"batches", batches}};
}

Error no_baseline_file(const std::string& path, const std::string& why) {
  return Error{fmt::format("this is no baseline: {}", escape_terminal(why)), Place{path},
               "docs/baselines.md describes the file; assay gate --save FILE writes one"};
}

// A number that is no count would be converted in silence: -5 to one that nothing exceeds, 1e308 to any.
Result<judge::Counters> counters_from(const json& value, const std::string& shape, const std::string& path) {
  judge::Counters counters;
  for (const auto& [name, count] : value.items()) {
    if (!count.is_number_unsigned())
      return no_baseline_file(path, fmt::format("{} of shape {} is {}, which counts nothing", name, shape,
                                                count.dump(-1, ' ', false, json::error_handler_t::replace)));
    counters[name] = count.get<uint64_t>();
  }
  if (counters.empty()) return no_baseline_file(path, fmt::format("shape {} has no counters", shape));
  return counters;
}

Result<BaselineCase> case_from(const json& value, const std::string& shape, const std::string& path) {
  BaselineCase entry;
  if (value.contains("counters")) {
    ASSAY_TRY(entry.counters, counters_from(value.at("counters"), shape, path));
    if (value.contains("estimated")) entry.estimated = estimated_from(value["estimated"]);
    if (value.contains("rates_measured") && value["rates_measured"].is_string())
      entry.rates = value["rates_measured"].get<std::string>();
    return entry;
  }
  for (const auto& [field, text] : value.at("contract").items()) entry.contract.set(field, text.get<std::string>());
  for (const json& each : value.at("batches")) {
    judge::Batch batch;
    batch.process = each.at("process").get<size_t>();
    batch.microseconds = each.at("us").get<std::vector<double>>();
    if (!each.at("clock_mhz").is_null()) batch.clock_mhz = each.at("clock_mhz").get<double>();
    entry.batches.push_back(std::move(batch));
  }
  if (const auto valid = judge::validate(entry.batches, shape); !valid)
    return no_baseline_file(path, valid.error().message);
  return entry;
}

}  // namespace

json estimated_json(const judge::EstimatedTime& time) {
  return {{"us", time.us}, {"low_us", time.low_us}, {"high_us", time.high_us}};
}

std::optional<judge::EstimatedTime> estimated_from(const json& value) {
  const auto number = [&](const char* name) {
    return value.is_object() && value.contains(name) && value[name].is_number() ? value[name].get<double>() : 0;
  };
  const judge::EstimatedTime time{number("us"), number("low_us"), number("high_us")};
  const bool sensible = time.low_us > 0 && time.low_us <= time.us && time.us <= time.high_us;
  return sensible ? std::optional(time) : std::nullopt;
}

bool is_baseline_file(const std::string& name) {
  return name.ends_with(".json");
}

Result<BaselineFile> read_baseline_file(const std::string& path) {
  ASSAY_TRY(const std::string text, read_file(path));
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return no_baseline_file(path, "expected an object of JSON");
  try {
    if (document.at("assay_baseline") != kSchema)
      return Error{fmt::format("this baseline has the schema {}; this program knows {}",
                               document.at("assay_baseline").dump(), kSchema),
                   Place{path}, "write it anew with assay gate --save FILE"};
    BaselineFile baseline;
    baseline.kernel = document.at("kernel").get<std::string>();
    baseline.configuration = document.at("configuration").get<std::string>();
    baseline.device = document.at("device").get<std::string>();
    for (const auto& [shape, entry] : document.at("cases").items()) {
      ASSAY_TRY(BaselineCase read, case_from(entry, shape, path));
      baseline.cases.emplace(shape, std::move(read));
    }
    return baseline;
  } catch (const json::exception& problem) {
    return no_baseline_file(path, problem.what());
  }
}

Result<void> write_baseline_file(const std::string& path, const BaselineFile& baseline) {
  json cases = json::object();
  for (const auto& [shape, entry] : baseline.cases) cases[shape] = case_json(entry);
  const json document{{"assay_baseline", kSchema},
                      {"kernel", baseline.kernel},
                      {"configuration", baseline.configuration},
                      {"device", baseline.device},
                      {"cases", cases}};
  return write_file_atomically(path, document.dump(1, ' ', false, json::error_handler_t::replace) + "\n");
}

}  // namespace assay::work
