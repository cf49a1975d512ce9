// SPDX-License-Identifier: MIT
#include "work/baseline_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/escape.hpp"
#include "base/file.hpp"
#include "judge/json_fields.hpp"

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

// Members of a file that anybody may have written. What is missing or of another kind is said in the words of JSON.
const json& member(const json& value, const char* name) {
  if (!value.is_object()) throw std::invalid_argument(fmt::format("expected an object, found {}", value.type_name()));
  if (!value.contains(name)) throw std::invalid_argument(fmt::format("there is no \"{}\"", name));
  return value.at(name);
}

std::string text_member(const json& value, const char* name) {
  const json& text = member(value, name);
  if (!text.is_string())
    throw std::invalid_argument(fmt::format("\"{}\" is {}; expected a string", name, text.type_name()));
  return text.get<std::string>();
}

const json& container_member(const json& value, const char* name, json::value_t kind) {
  const json& found = member(value, name);
  if (found.type() != kind)
    throw std::invalid_argument(
        fmt::format("\"{}\" is {}; expected an {}", name, found.type_name(), json(kind).type_name()));
  return found;
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
  const json& contract = container_member(value, "contract", json::value_t::object);
  for (const auto& [field, text] : contract.items()) entry.contract.set(field, text_member(contract, field.c_str()));
  for (const json& each : container_member(value, "batches", json::value_t::array)) {
    judge::Batch batch;
    batch.process = judge::whole_from(member(each, "process"));
    for (const json& time : container_member(each, "us", json::value_t::array))
      batch.microseconds.push_back(judge::number_from(time));
    if (const json& clock = member(each, "clock_mhz"); !clock.is_null()) batch.clock_mhz = judge::number_from(clock);
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
  std::string where;
  try {
    if (member(document, "assay_baseline") != kSchema)
      return Error{fmt::format("this baseline has the schema {}; this program knows {}",
                               document.at("assay_baseline").dump(), kSchema),
                   Place{path}, "write it anew with assay gate --save FILE"};
    BaselineFile baseline;
    baseline.kernel = text_member(document, "kernel");
    baseline.configuration = text_member(document, "configuration");
    baseline.device = text_member(document, "device");
    const json& cases = container_member(document, "cases", json::value_t::object);
    for (const auto& [shape, entry] : cases.items()) {
      where = fmt::format("shape {}: ", shape);
      ASSAY_TRY(BaselineCase read, case_from(entry, shape, path));
      baseline.cases.emplace(shape, std::move(read));
    }
    return baseline;
  } catch (const std::invalid_argument& problem) {
    return no_baseline_file(path, where + problem.what());
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
