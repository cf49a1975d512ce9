// SPDX-License-Identifier: MIT
#include "report/attempt_document.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "ledger/time_text.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

// The ledger has checked that it is an object.
json stored_object(const std::string& text) {
  return text.empty() ? json(nullptr) : json::parse(text, nullptr, false);
}

std::string csv_number(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : "";
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    line += escape_csv(field);
  }
  return line + "\n";
}

}  // namespace

json attempt_document(const ledger::Attempt& attempt) {
  return {{"id", attempt.id},
          {"kind", to_string(attempt.kind)},
          {"time", ledger::iso_time(attempt.time_us)},
          {"time_us", attempt.time_us},
          {"duration_s", attempt.duration_s},
          {"machine", attempt.machine},
          {"assay", attempt.assay},
          {"kernel", attempt.kernel},
          {"specification", attempt.specification},
          {"configuration", attempt.configuration},
          {"shape", attempt.shape},
          {"dtype", attempt.dtype},
          {"device", attempt.device},
          {"seed", attempt.seed},
          {"verdict", attempt.verdict},
          {"correct", or_null(attempt.correct)},
          {"exit_code", attempt.exit_code},
          {"contract", stored_object(attempt.contract)},
          {"contract_hash", attempt.contract_hash},
          {"comparable", attempt.comparable},
          {"source_hash", attempt.source_hash},
          {"cubin_hash", attempt.cubin_hash},
          {"cost_per_hour", or_null(attempt.cost_per_hour)},
          {"cost", or_null(attempt.cost)},
          {"p50_us", or_null(attempt.p50_us)},
          {"details", stored_object(attempt.details)}};
}

json samples_document(const ledger::Samples& samples, bool raw) {
  const ledger::SamplesSummary summary = summarize(samples);
  json document = {{"contender", samples.contender},
                   {"role", to_string(samples.role)},
                   {"configuration", samples.configuration},
                   {"shape", samples.shape},
                   {"dtype", samples.dtype},
                   {"protocol", samples.protocol},
                   {"count", summary.count},
                   {"throttled", summary.throttled},
                   {"min_us", summary.min_us},
                   {"p50_us", samples.p50_us ? *samples.p50_us : summary.p50_us},
                   {"p90_us", summary.p90_us},
                   {"p99_us", summary.p99_us},
                   {"max_us", summary.max_us},
                   {"mean_us", summary.mean_us}};
  if (raw) {
    document["times_us"] = samples.times_us;
    document["clocks_mhz"] = samples.clocks_mhz;
    document["throttle"] = samples.throttle;
  }
  return document;
}

json leaderboard_document(const std::vector<ledger::LeaderboardRow>& rows) {
  json list = json::array();
  for (const ledger::LeaderboardRow& row : rows) {
    list.push_back({{"kernel", row.kernel},
                    {"shape", row.shape},
                    {"dtype", row.dtype},
                    {"device", row.device},
                    {"comparable", row.comparable},
                    {"protocol", row.protocol},
                    {"p50_us", row.p50_us},
                    {"attempt", row.attempt},
                    {"time", ledger::iso_time(row.time_us)},
                    {"configuration", row.configuration},
                    {"source_hash", row.source_hash}});
  }
  return list;
}

std::string attempts_csv_header() {
  return "id,kind,time,duration_s,machine,assay,kernel,specification,configuration,shape,dtype,device,seed,verdict,"
         "correct,exit_code,contract_hash,comparable,source_hash,cubin_hash,cost_per_hour,cost,p50_us\n";
}

std::string attempt_csv(const ledger::Attempt& attempt) {
  const std::string correct = !attempt.correct ? "" : *attempt.correct ? "true" : "false";
  return csv_line({std::to_string(attempt.id),
                   std::string(to_string(attempt.kind)),
                   ledger::iso_time(attempt.time_us),
                   csv_number(attempt.duration_s),
                   attempt.machine,
                   attempt.assay,
                   attempt.kernel,
                   attempt.specification,
                   attempt.configuration,
                   attempt.shape,
                   attempt.dtype,
                   attempt.device,
                   std::to_string(attempt.seed),
                   attempt.verdict,
                   correct,
                   std::to_string(attempt.exit_code),
                   attempt.contract_hash,
                   attempt.comparable,
                   attempt.source_hash,
                   attempt.cubin_hash,
                   csv_number(attempt.cost_per_hour),
                   csv_number(attempt.cost),
                   csv_number(attempt.p50_us)});
}

std::string samples_csv_header() {
  return "attempt,kernel,device,contender,role,configuration,shape,dtype,protocol,index,time_us,clock_mhz,throttle\n";
}

std::string samples_csv(const ledger::Attempt& attempt, const ledger::Samples& samples) {
  std::string head = csv_line({std::to_string(attempt.id), attempt.kernel, attempt.device, samples.contender,
                               std::string(to_string(samples.role)), samples.configuration, samples.shape,
                               samples.dtype, samples.protocol});
  head.pop_back();
  std::string lines;
  for (size_t i = 0; i < samples.times_us.size(); ++i) {
    const std::string clock = samples.clocks_mhz.empty() ? "" : fmt::format("{}", samples.clocks_mhz[i]);
    const std::string throttle = samples.throttle.empty() ? "" : fmt::format("{}", samples.throttle[i]);
    lines += fmt::format("{},{},{},{},{}\n", head, i, samples.times_us[i], clock, throttle);
  }
  return lines;
}

}  // namespace assay::report
