// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/export.hpp"
#include "base/text.hpp"
#include "formats/read_foreign.hpp"
#include "formats/result_json.hpp"
#include "ledger/time_text.hpp"
#include "work/log_reader.hpp"

namespace assay::work {
namespace {

using formats::ForeignResult;
using formats::Status;
using nlohmann::json;

// Formats in which every contender stands alone; in the others a result has the one that it is compared with.
bool stands_alone(const std::string& format) {
  return format != "flashinfer" && format != "solexec" && format != "t4";
}

std::string text_of(const json& object, const char* name) {
  return object.is_object() && object.contains(name) && object[name].is_string() ? object[name].get<std::string>() : "";
}

// The entry of a contender in the details of a measurement; null: there is none.
json entry_of(const json& details, const std::string& contender) {
  if (!details.is_object() || !details.contains("contenders") || !details["contenders"].is_array()) return nullptr;
  for (const json& each : details["contenders"]) {
    if (text_of(each, "name") == contender) return each;
  }
  return nullptr;
}

// A row of samples of one of our own measurements.
ForeignResult own_result(const ledger::Attempt& attempt, const ledger::Samples& samples) {
  const json contract = json::parse(attempt.contract, nullptr, false);
  const json details = json::parse(attempt.details, nullptr, false);
  const json entry = entry_of(details, samples.contender);
  ForeignResult result;
  result.task = attempt.kernel;
  result.contender = samples.contender;
  result.shape = samples.shape.empty() ? attempt.shape : samples.shape;
  const bool candidate = samples.role == ledger::Role::candidate;
  result.configuration = !samples.configuration.empty() ? samples.configuration
                         : candidate                    ? attempt.configuration
                                                        : "";
  if (result.configuration.find('=') == std::string::npos) result.configuration.clear();
  result.device = text_of(contract, "device.name");
  if (result.device.empty()) result.device = attempt.device;
  if (contract.is_object()) {
    for (const auto& [field, value] : contract.items()) {
      if (!value.is_string()) continue;
      if (field.starts_with("library.")) result.versions[field.substr(8)] = value.get<std::string>();
      if (field == "device.driver") result.versions["driver"] = value.get<std::string>();
      if (field == "compiler") result.versions["compiler"] = value.get<std::string>();
    }
  }
  result.versions["assay"] = attempt.assay;
  result.when = ledger::iso_time(attempt.time_us);
  result.protocol = "assay " + samples.protocol;
  const std::string objection = text_of(entry, "objection");
  const bool good = entry.is_object() ? entry.value("good", false) : attempt.correct == std::optional(true);
  result.status = !good ? Status::incorrect : candidate && !attempt.correct ? Status::unverified : Status::passed;
  result.message = objection;
  result.time = formats::describe(samples.times_us);
  const bool clocks = std::ranges::any_of(samples.clocks_mhz, [](double mhz) { return mhz > 0; });
  if (clocks) result.time.clocks_mhz = samples.clocks_mhz;
  if (entry.is_object() && entry.contains("measured") && entry["measured"].is_object()) {
    const json& interval = entry["measured"].value("median_interval_us", json());
    if (interval.is_array() && interval.size() == 2 && interval[0].is_number() && interval[1].is_number()) {
      result.other["median_low_us"] = interval[0].get<double>();
      result.other["median_high_us"] = interval[1].get<double>();
    }
  }
  return result;
}

class Collector {
 public:
  explicit Collector(const ExportRequest& request) : request_(request) {}

  Result<void> take(const LogReader::Shown& shown) {
    if (request_.imported) return take_imported(shown);
    if (shown.attempt.kind != ledger::Kind::measure && shown.attempt.kind != ledger::Kind::tune) return {};
    std::vector<ForeignResult> candidates;
    std::vector<ForeignResult> others;
    for (const ledger::Samples& samples : shown.samples) {
      if (samples.times_us.empty()) continue;
      (samples.role == ledger::Role::candidate ? candidates : others).push_back(own_result(shown.attempt, samples));
    }
    for (ForeignResult& candidate : candidates) {
      if (!stands_alone(request_.format)) pair_up(candidate, others);
      results.push_back(std::move(candidate));
    }
    if (stands_alone(request_.format)) std::ranges::move(others, std::back_inserter(results));
    return {};
  }

  std::vector<ForeignResult> results;
  std::vector<formats::Lost> lost;

 private:
  // The fastest of the others at this shape is the one that counts.
  void pair_up(ForeignResult& candidate, const std::vector<ForeignResult>& others) {
    const ForeignResult* best = nullptr;
    size_t count = 0;
    for (const ForeignResult& other : others) {
      if (other.shape != candidate.shape || other.status != Status::passed) continue;
      ++count;
      if (best == nullptr || *other.time.median < *best->time.median) best = &other;
    }
    if (best == nullptr) return;
    candidate.baseline = best->time;
    candidate.baseline_name = best->contender;
    if (count > 1)
      lost.push_back({candidate.task + " " + candidate.shape,
                      fmt::format("of {} baselines the fastest alone ('{}') is written", count, best->contender)});
  }

  Result<void> take_imported(const LogReader::Shown& shown) {
    if (shown.attempt.kind != ledger::Kind::imported) return {};
    const auto details = nlohmann::ordered_json::parse(shown.attempt.details, nullptr, false);
    if (!details.is_object() || !details.contains("imported") || !details["imported"].is_object() ||
        !details["imported"].contains("result"))
      return {};
    ASSAY_TRY(ForeignResult result, formats::result_from_json(details["imported"]["result"]));
    for (const ledger::Samples& samples : shown.samples) {
      formats::Statistics& statistics = samples.role == ledger::Role::candidate ? result.time : result.baseline;
      statistics.samples = samples.times_us;
      statistics.clocks_mhz = samples.clocks_mhz;
    }
    results.push_back(std::move(result));
    return {};
  }

  const ExportRequest& request_;
};

}  // namespace

Result<ExportReport> export_results(const ExportRequest& request) {
  const std::vector<std::string>& known = export_formats();
  if (std::ranges::find(known, request.format) == known.end())
    return Error{fmt::format("there is no format '{}' to write", request.format),
                 {},
                 fmt::format("choose one of {}", join(known, ", "))};
  ASSAY_TRY(LogReader reader, LogReader::open(request.attempts.ledger));
  ExportReport report;
  report.format = request.format;
  report.ledger = reader.file().string();
  LogRequest attempts = request.attempts;
  attempts.kind.clear();
  Collector collector(request);
  const auto damaged = [&](const Error& error) { report.damaged.push_back(error.message); };
  ASSAY_CHECK(reader.each(attempts, [&](const LogReader::Shown& shown) { return collector.take(shown); }, damaged));
  if (collector.results.empty())
    return Error{request.imported ? "nothing that was imported is like that" : "no measurement is like that",
                 Place{report.ledger},
                 request.imported ? "assay log --kind import lists them" : "assay log --kind measure lists them"};
  report.results = collector.results.size();
  ASSAY_TRY(formats::Written written,
            formats::write_foreign(collector.results, request.format, request.samples_folder));
  report.text = std::move(written.text);
  for (formats::TextFile& file : written.files) report.files.push_back({std::move(file.path), std::move(file.content)});
  for (const std::vector<formats::Lost>* list : {&collector.lost, &written.lost}) {
    for (const formats::Lost& each : *list) report.lost.push_back({each.where, each.why});
  }
  return report;
}

const std::vector<std::string>& export_formats() {
  return formats::writable_formats();
}

}  // namespace assay::work
