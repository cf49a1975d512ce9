// SPDX-License-Identifier: MIT
#include "page/read_attempt.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace assay::page {
namespace {

using nlohmann::json;

const json kNothing;

json parsed(const std::string& text) {
  return text.empty() ? json() : json::parse(text, nullptr, false);
}

const json& member(const json& object, const char* key) {
  if (!object.is_object()) return kNothing;
  const auto found = object.find(key);
  return found == object.end() ? kNothing : *found;
}

// Elements of a list; nothing if it is none.
const json::array_t& list(const json& object, const char* key) {
  static const json::array_t kEmpty;
  const json& value = member(object, key);
  return value.is_array() ? value.get_ref<const json::array_t&>() : kEmpty;
}

std::string text(const json& object, const char* key) {
  const json& value = member(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<double> as_number(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<double> maybe(const json& object, const char* key) {
  return as_number(member(object, key));
}

double number(const json& object, const char* key) {
  return maybe(object, key).value_or(0);
}

int64_t whole(const json& object, const char* key) {
  const double value = number(object, key);
  return std::abs(value) < 1e15 ? static_cast<int64_t>(value) : 0;
}

stats::Interval interval(const json& value) {
  if (value.is_array() && value.size() == 2) return {as_number(value[0]).value_or(0), as_number(value[1]).value_or(0)};
  return {number(value, "low"), number(value, "high")};
}

CounterValues counters(const json& object) {
  CounterValues values;
  if (!object.is_object()) return values;
  for (const auto& [name, value] : object.items()) {
    if (const auto count = as_number(value)) values[name] = *count;
  }
  return values;
}

std::string position(const json& value) {
  if (!value.is_array() || value.size() != 3) return "";
  return fmt::format("({:.0f},{:.0f},{:.0f})", as_number(value[0]).value_or(0), as_number(value[1]).value_or(0),
                     as_number(value[2]).value_or(0));
}

MeasuredContender contender(const json& value) {
  MeasuredContender read;
  read.name = text(value, "name");
  read.variant = text(value, "variant");
  read.good = member(value, "good").is_boolean() && member(value, "good").get<bool>();
  read.objection = text(value, "objection");
  const json& measured = member(value, "measured");
  read.p50_us = maybe(measured, "p50_us");
  if (read.p50_us && *read.p50_us <= 0) read.p50_us.reset();
  read.p90_us = number(measured, "p90_us");
  read.p99_us = number(measured, "p99_us");
  read.median_us = interval(member(measured, "median_interval_us"));
  read.tflops = number(measured, "tflops");
  read.gb_per_s = number(measured, "gb_per_s");
  read.throttled = number(measured, "throttled");
  read.samples = static_cast<size_t>(std::max<int64_t>(0, whole(measured, "samples")));
  const json& comparison = member(value, "comparison");
  if (comparison.is_object() && number(comparison, "ratio") > 0)
    read.comparison = {text(comparison, "verdict"), number(comparison, "ratio"),
                       interval(member(comparison, "interval")), text(comparison, "reason")};
  return read;
}

}  // namespace

std::optional<MeasuredCase> measured_case(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::measure) return std::nullopt;
  const json details = parsed(attempt.details);
  MeasuredCase read;
  for (const json& each : list(details, "contenders")) read.contenders.push_back(contender(each));
  if (read.contenders.empty()) return std::nullopt;
  read.attempt = attempt;
  const json contract = parsed(attempt.contract);
  read.gpu = text(contract, "device.name");
  read.protocol = text(contract, "protocol.launch") + " " + text(contract, "protocol.cache");
  read.flops = number(details, "flops");
  read.bytes = number(details, "bytes");
  read.floor_us = number(details, "floor_us");
  return read;
}

std::optional<EstimatedCase> estimated_case(const ledger::Attempt& attempt) {
  const json details = parsed(attempt.details);
  const json& estimate = member(details, "estimate");
  if (!estimate.is_object() || number(estimate, "time_us") <= 0) return std::nullopt;
  EstimatedCase read;
  read.attempt = attempt;
  read.time_us = number(estimate, "time_us");
  read.low_us = number(estimate, "low_us");
  read.high_us = number(estimate, "high_us");
  read.lower_bound_us = number(estimate, "lower_bound_us");
  read.limiter = text(estimate, "limiter");
  read.flops = number(estimate, "flops");
  read.dram_bytes = number(estimate, "dram_bytes");
  read.l2_bytes = number(estimate, "l2_bytes");
  for (const json& each : list(estimate, "resources"))
    read.loads.push_back({text(each, "name"), number(each, "time_us"), number(each, "share")});
  return read;
}

std::optional<DiagnosedCase> diagnosed_case(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::profile) return std::nullopt;
  const json details = parsed(attempt.details);
  if (text(details, "command") != "diagnose" || number(details, "time_us") <= 0) return std::nullopt;
  DiagnosedCase read;
  read.attempt = attempt;
  read.measured = member(details, "measured") == true;
  read.time_us = number(details, "time_us");
  const json& floor = member(details, "floor");
  read.floor_us = number(floor, "time_us");
  read.floor_by = text(floor, "by");
  for (const json& each : list(details, "findings")) {
    std::vector<std::string> evidence;
    for (const json& fact : list(each, "evidence")) {
      if (fact.is_string()) evidence.push_back(fact.get<std::string>());
    }
    read.findings.push_back({text(each, "title"), text(each, "stage"), join(evidence, "; "), text(each, "file"),
                             static_cast<int>(whole(each, "line")), number(each, "cap_us"), text(each, "remedy")});
  }
  for (const json& each : list(details, "sweep"))
    read.sweep.push_back({text(each, "shape"), number(each, "time_us"), text(each, "known"), number(each, "floor_us"),
                          number(each, "tflops"), number(each, "gb_per_s"), text(each, "limiter")});
  return read;
}

std::optional<ProfiledCase> profiled_case(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::profile) return std::nullopt;
  const json details = parsed(attempt.details);
  ProfiledCase read;
  read.counters = counters(member(details, "counters"));
  if (read.counters.empty()) return std::nullopt;
  read.attempt = attempt;
  read.entry = text(details, "entry");
  read.ptx = text(details, "ptx");
  for (const json& line : list(details, "lines"))
    read.lines.push_back(
        {text(line, "file"), static_cast<int>(whole(line, "line")), counters(member(line, "counters"))});
  for (const json& figure : list(details, "figures"))
    read.figures.push_back({text(figure, "name"), maybe(figure, "value"), text(figure, "unit"), text(figure, "want"),
                            text(figure, "judgement"), text(figure, "evidence"), text(figure, "note")});
  return read;
}

std::optional<InvertedCase> inverted_case(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::profile) return std::nullopt;
  const json details = parsed(attempt.details);
  InvertedCase read;
  for (const json& each : list(details, "resources")) {
    if (text(each, "verdict").empty()) continue;
    read.resources.push_back({text(each, "name"), text(each, "verdict"), maybe(each, "gain_if_free"),
                              maybe(each, "cost_per_dose"), maybe(each, "slack_doses"), text(each, "remedy")});
  }
  if (read.resources.empty() || number(details, "time_us") <= 0) return std::nullopt;
  read.attempt = attempt;
  read.attempt.shape = text(details, "shape");
  read.measured = member(details, "measured") == true;
  read.time_us = number(details, "time_us");
  read.sentence = text(details, "sentence");
  return read;
}

std::optional<TunedCase> tuned_case(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::tune) return std::nullopt;
  const json details = parsed(attempt.details);
  TunedCase read;
  for (const json& each : list(details, "evaluated"))
    read.points.push_back(
        {text(each, "configuration"), maybe(each, "value"), text(each, "failure"), text(each, "message")});
  if (read.points.empty()) return std::nullopt;
  read.attempt = attempt;
  read.quantity = text(details, "quantity");
  // Until 0.2 what a formula made of counts was called counted.
  if (read.quantity == "counted: predicted cycles") read.quantity = "estimated cycles";
  read.unit = text(details, "unit");
  read.configurations = number(details, "configurations");
  for (const json& each : list(details, "tie_group")) {
    if (each.is_string()) read.tie_group.push_back(each.get<std::string>());
  }
  return read;
}

std::vector<ReportedFinding> findings_of(const ledger::Attempt& attempt) {
  std::vector<ReportedFinding> found;
  const json details = parsed(attempt.details);
  // Of a check: those of the case that failed.
  const json& failed = member(details, "failure");
  const bool of_case = list(details, "findings").empty() && failed.is_object();
  for (const json& each : list(of_case ? failed : details, "findings")) {
    ReportedFinding finding;
    finding.attempt = attempt.id;
    finding.kernel = attempt.kernel;
    finding.kind = text(each, "kind");
    finding.message = text(each, "message");
    finding.shape = of_case ? text(failed, "shape") : text(each, "shape");
    finding.file = text(each, "file");
    finding.line = static_cast<int>(whole(each, "line"));
    finding.column = static_cast<int>(whole(each, "column"));
    finding.instruction = text(each, "instruction");
    const std::string block = position(member(each, "block"));
    const std::string thread = position(member(each, "thread"));
    if (!block.empty() && !thread.empty()) finding.place = fmt::format("block {} thread {}", block, thread);
    finding.allocation = text(each, "allocation");
    finding.occurrences = number(each, "count");
    finding.threads = number(each, "thread_count");
    found.push_back(std::move(finding));
  }
  return found;
}

std::vector<BuiltEntry> built_entries(const ledger::Attempt& attempt) {
  std::vector<BuiltEntry> built;
  if (attempt.kind != ledger::Kind::build) return built;
  const json details = parsed(attempt.details);
  for (const json& result : list(details, "results")) {
    for (const json& resource : list(result, "resources")) {
      BuiltEntry entry;
      entry.configuration = text(result, "configuration");
      entry.target = text(result, "target");
      entry.entry = text(resource, "entry");
      if (const auto registers = maybe(resource, "registers"))
        entry.registers = static_cast<int>(std::clamp(*registers, 0.0, 1e6));
      if (maybe(resource, "static_shared_bytes")) entry.static_shared_bytes = whole(resource, "static_shared_bytes");
      entry.spill_bytes = number(resource, "spill_load_bytes") + number(resource, "spill_store_bytes");
      for (const json& fit : list(details, "fits")) {
        if (text(fit, "configuration") != entry.configuration || text(fit, "entry") != entry.entry) continue;
        entry.threads = std::max(entry.threads, whole(fit, "threads"));
        entry.dynamic_shared_bytes = std::max(entry.dynamic_shared_bytes, whole(fit, "dynamic_shared_bytes"));
      }
      if (entry.threads > 0) built.push_back(std::move(entry));
    }
  }
  return built;
}

std::vector<Step> steps_of(const ledger::Attempt& attempt) {
  std::vector<Step> steps;
  if (attempt.kind != ledger::Kind::run) return steps;
  const json details = parsed(attempt.details);
  for (const json& step : list(details, "steps"))
    steps.push_back({text(step, "name"), text(step, "verdict"), text(step, "summary"), number(step, "host_seconds")});
  return steps;
}

std::optional<Stop> stop_of(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::run && attempt.kind != ledger::Kind::tune) return std::nullopt;
  const json details = parsed(attempt.details);
  const json& stopped = member(details, "stopped");
  if (!stopped.is_object()) return std::nullopt;
  const json& saved = member(stopped, "saved");
  Stop stop{text(stopped, "baseline"),  number(stopped, "speed"),     text(stopped, "first_finding"),
            number(saved, "shapes"),    number(saved, "evaluations"), {},
            maybe(saved, "estimated_s")};
  for (const json& step : list(saved, "steps")) {
    if (step.is_string()) stop.steps.push_back(step.get<std::string>());
  }
  return stop;
}

std::optional<SuiteSummary> suite_summary(const ledger::Attempt& attempt) {
  if (attempt.kind != ledger::Kind::suite) return std::nullopt;
  const json details = parsed(attempt.details);
  const json& summary = member(details, "summary");
  if (!summary.is_object()) return std::nullopt;
  SuiteSummary read{text(details, "suite"),    number(summary, "measured"), number(summary, "rejected"),
                    number(summary, "failed"), number(summary, "skipped"),  {}};
  for (const json& mean : list(summary, "means"))
    read.means.push_back(
        {text(mean, "kernel"), text(mean, "baseline"), number(mean, "count"), maybe(mean, "geometric_mean")});
  return read;
}

std::string suite_work(const ledger::Attempt& attempt) {
  return attempt.kind == ledger::Kind::suite ? text(parsed(attempt.details), "work") : "";
}

double cases_of(const ledger::Attempt& attempt) {
  return number(parsed(attempt.details), "case_count");
}

std::string commit_of(const ledger::Attempt& attempt) {
  return text(parsed(attempt.details), "commit");
}

std::string failure_of(const ledger::Attempt& attempt) {
  const json details = parsed(attempt.details);
  if (attempt.kind == ledger::Kind::check) return text(member(details, "failure"), "message");
  if (attempt.kind != ledger::Kind::suite) return "";
  const json& summary = member(details, "summary");
  std::vector<std::string> parts;
  for (const char* what : {"failed", "rejected"}) {
    if (const int64_t count = whole(summary, what); count > 0) parts.push_back(fmt::format("{} {}", count, what));
  }
  return join(parts, ", ");
}

std::string error_of(const ledger::Attempt& attempt) {
  const json details = parsed(attempt.details);
  return text(member(details, "error"), "message");
}

}  // namespace assay::page
