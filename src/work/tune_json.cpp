// SPDX-License-Identifier: MIT
#include "work/tune_json.hpp"

#include <nlohmann/json.hpp>

#include "work/document.hpp"

namespace assay::work {

using nlohmann::json;

json evaluation_json(const TunedConfiguration& evaluated) {
  json object{{"configuration", evaluated.configuration},
              {"value", evaluated.value ? json(*evaluated.value) : json(nullptr)},
              {"by_shape", evaluated.by_shape},
              {"samples", evaluated.samples},
              {"failure", evaluated.failure},
              {"message", evaluated.message},
              {"bailed_out", evaluated.bailed_out},
              {"compile_seconds", evaluated.compile_s},
              {"check_seconds", evaluated.check_s},
              {"measure_seconds", evaluated.measure_s}};
  if (evaluated.registers) object["registers"] = *evaluated.registers;
  if (evaluated.shared_bytes) object["shared_bytes"] = *evaluated.shared_bytes;
  return object;
}

std::optional<TunedConfiguration> evaluation_from(const json& value) {
  try {
    TunedConfiguration evaluated;
    evaluated.configuration = value.at("configuration");
    evaluated.by_shape = value.at("by_shape").get<std::vector<double>>();
    evaluated.samples = value.at("samples").get<std::vector<std::vector<double>>>();
    evaluated.failure = value.at("failure");
    evaluated.message = value.at("message");
    evaluated.bailed_out = value.at("bailed_out");
    evaluated.compile_s = value.at("compile_seconds");
    evaluated.check_s = value.at("check_seconds");
    evaluated.measure_s = value.at("measure_seconds");
    if (!value.at("value").is_null()) evaluated.value = value["value"].get<double>();
    if (value.contains("registers")) evaluated.registers = value["registers"].get<int>();
    if (value.contains("shared_bytes")) evaluated.shared_bytes = value["shared_bytes"].get<int64_t>();
    if (evaluated.value.has_value() != evaluated.failure.empty()) return std::nullopt;
    return evaluated;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

namespace {

// What the ledger keeps of a message: its first line, and not more of it than is read.
std::string kept(const std::string& message) {
  constexpr size_t kLongest = 200;
  const std::string line = message.substr(0, message.find('\n'));
  if (line.size() <= kLongest) return line;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;  // whole characters
  return line.substr(0, end) + "…";
}

}  // namespace

json attempt_json(const TuneReport& report) {
  json details{{"answer", report.answer},
               {"tie_group", report.tie_group},
               {"evaluations", report.evaluated.size()},
               {"configurations", report.configurations},
               {"quantity", report.quantity},
               {"unit", report.unit}};
  for (const TunedConfiguration& each : report.evaluated) {
    json entry{{"configuration", each.configuration},
               {"value", each.value ? json(*each.value) : json(nullptr)},
               {"failure", each.failure}};
    if (!each.message.empty()) entry["message"] = kept(each.message);
    details["evaluated"].push_back(std::move(entry));
  }
  return details;
}

std::string to_json(const TuneReport& report) {
  json document = document_head("tune");
  document["kernel"] = report.kernel;
  document["specification"] = report.specification;
  if (!report.page.empty()) document["page"] = report.page;
  document["device"] = report.device;
  document["gpu"] = report.gpu;
  document["target"] = report.target;
  document["depends_on"] = report.depends_on;
  document["quantity"] = report.quantity;
  document["unit"] = report.unit;
  document["configurations"] = report.configurations;
  document["space"] = {{"listed", report.listed},
                       {"combinations", report.combinations},
                       {"legal", report.legal},
                       {"legal_is", report.legal_error > 0 ? "estimated" : "exact"},
                       {"legal_error", report.legal_error}};
  const TuneCounters& counters = report.counters;
  document["counters"] = {{"used", counters.used},
                          {"why_not", counters.why_not},
                          {"built_first", counters.built},
                          {"counted", counters.counted},
                          {"predicted", counters.predicted},
                          {"compile_seconds", counters.compile_s},
                          {"count_seconds", counters.count_s}};
  for (const auto& [reason, count] : report.left_out)
    document["left_out"].push_back({{"reason", reason}, {"count", count}});
  document["recalled"] = report.recalled;
  document["started_anew"] = report.started_anew;
  document["interrupted"] = report.interrupted;
  document["answer"] = report.answer.empty() ? json(nullptr) : json(report.answer);
  document["criterion"] = report.criterion;
  document["tie_group"] = report.tie_group;
  document["regret_bound"] = report.regret_bound ? json(*report.regret_bound) : json(nullptr);
  document["regret_bounds"] = report.regret_bounds;
  if (!report.devices.empty()) {
    document["beside"] = report.beside;
    document["workers_started"] = report.workers_started;
    for (const TuneDevice& each : report.devices)
      document["devices"].push_back({{"device", each.device},
                                     {"gpu", each.gpu},
                                     {"hosts", each.hosts},
                                     {"evaluations", each.evaluations},
                                     {"beside", each.beside},
                                     {"tie_group", each.tie_group},
                                     {"disagrees", each.disagrees}});
  }
  document["best_worst_shape"] = report.best_worst;
  for (const TuneWinner& each : report.winners)
    document["shapes"].push_back({{"shape", each.shape},
                                  {"configuration", each.configuration},
                                  {"value", each.value},
                                  {"answer_value", each.best_single}});
  document["seconds"] = {
      {"compile", report.compile_s}, {"check", report.check_s}, {"measure", report.measure_s}, {"wall", report.wall_s}};
  document["cost"] = report.cost ? json(*report.cost) : json(nullptr);
  document["evaluated"] = json::array();
  for (const TunedConfiguration& each : report.evaluated) {
    json entry = evaluation_json(each);
    entry["recalled"] = each.recalled;
    document["evaluated"].push_back(std::move(entry));
  }
  return document_text(document);
}

}  // namespace assay::work
