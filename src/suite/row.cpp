// SPDX-License-Identifier: MIT
#include "suite/row.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "judge/comparison_json.hpp"
#include "judge/json_fields.hpp"
#include "report/bench_report.hpp"

namespace assay::suite {
namespace {

using nlohmann::json;

std::optional<double> p50_of(const json& contender) {
  const auto measured = contender.find("measured");
  if (measured == contender.end()) return std::nullopt;
  return judge::number_from(measured->at("p50_us"));
}

bool guard_objected(const json& contender) {
  const json& guards = contender.at("guards");
  judge::expect_list(guards);
  return std::ranges::any_of(guards, [](const json& guard) { return guard.at("state") == "failed"; });
}

void take_comparison(Against& result, const judge::Comparison& comparison) {
  result.speedup = 1 / comparison.ratio;
  result.interval = {1 / comparison.interval.high, 1 / comparison.interval.low};
  result.verdict = comparison.verdict;
  result.reason = comparison.reason;
  result.p = std::isfinite(comparison.p) ? std::clamp(comparison.p, 0.0, 1.0) : 1;
  result.adjusted_p = result.p;
  result.alpha = comparison.options.alpha;
}

void take_objection(Against& result, const std::string& objection) {
  result.objection = objection.empty() ? "it was not timed" : objection;
}

// What was not good about the candidate is a verdict on it if a guard objected, else a failure.
void take_candidate(Row& row, bool good, bool guard_objected, const std::string& objection) {
  row.status = Status::measured;
  if (good) return;
  row.status = guard_objected ? Status::rejected : Status::failed;
  row.reason = objection;
  row.exit_code = ExitCode::incorrect;
}

Result<Against> against_of(const json& contender) {
  Against result;
  result.baseline = judge::word_from(contender.at("name"));
  result.p50_us = p50_of(contender);
  if (!judge::flag_from(contender.at("good"))) take_objection(result, judge::word_from(contender.at("objection")));
  const auto found = contender.find("comparison");
  if (found == contender.end()) return result;
  ASSAY_TRY(const judge::Comparison comparison, judge::comparison_from_json(*found));
  take_comparison(result, comparison);
  return result;
}

Result<Row> read(Row row, const json& value) {
  const json& contenders = value.at("contenders");
  judge::expect_list(contenders);
  if (contenders.empty() || judge::word_from(value.at("shape")) != row.shape)
    return Error{.message = "this is the document of another case"};
  const json& candidate = contenders.at(0);
  row.p50_us = p50_of(candidate);
  const bool good = judge::flag_from(candidate.at("good"));
  take_candidate(row, good, !good && guard_objected(candidate),
                 good ? "" : judge::word_from(candidate.at("objection")));
  row.against.clear();
  for (size_t i = 1; i < contenders.size(); ++i) {
    ASSAY_TRY(Against against, against_of(contenders.at(i)));
    row.against.push_back(std::move(against));
  }
  return row;
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::measured:
      return "measured";
    case Status::rejected:
      return "rejected";
    case Status::failed:
      return "failed";
    case Status::skipped:
      break;
  }
  return "skipped";
}

const Against* Row::fastest_baseline() const {
  const Against* fastest = nullptr;
  for (const Against& each : against) {
    if (!each.comparable() || !each.p50_us) continue;
    if (fastest == nullptr || *each.p50_us < *fastest->p50_us) fastest = &each;
  }
  return fastest;
}

std::string Row::label() const {
  return configuration == "default" ? fmt::format("{} {}", kernel, shape)
                                    : fmt::format("{} {} {}", kernel, configuration, shape);
}

Row row_of(const Group& group, const Item& item) {
  Row row;
  row.kernel = group.kernel();
  row.configuration = group.configuration.id();
  row.shape = item.shape.text();
  row.dtype = item.dtype();
  for (const std::string& baseline : group.baselines) {
    Against against;
    against.baseline = baseline;
    against.objection = "not measured";
    row.against.push_back(std::move(against));
  }
  if (!item.skipped.empty()) {
    row.status = Status::skipped;
    row.reason = item.skipped;
  }
  return row;
}

Row failed_row(const Group& group, const Item& item, const Error& error) {
  Row row = row_of(group, item);
  row.status = Status::failed;
  row.reason = error.place.known() ? fmt::format("{}: {}", to_string(error.place), error.message) : error.message;
  row.hint = error.hint;
  // What a specification or a build has wrong is the kernel's fault; what this machine lacks is not.
  row.exit_code = error.exit_code == ExitCode::environment ? ExitCode::environment : ExitCode::incorrect;
  return row;
}

Row row_from_case(const Group& group, const Item& item, const measure::JudgedCase& measured) {
  Row row = row_of(group, item);
  const measure::ContenderResult& candidate = measured.measured.candidate();
  if (candidate.time_us) row.p50_us = candidate.time_us->p50;
  take_candidate(row, candidate.good(), candidate.guards.first_failure() != nullptr, candidate.objection());
  row.against.clear();
  for (size_t i = 1; i < measured.measured.contenders.size(); ++i) {
    const measure::ContenderResult& contender = measured.measured.contenders[i];
    Against against;
    against.baseline = contender.name;
    if (contender.time_us) against.p50_us = contender.time_us->p50;
    if (!contender.good()) take_objection(against, contender.objection());
    if (measured.comparisons[i]) take_comparison(against, *measured.comparisons[i]);
    row.against.push_back(std::move(against));
  }
  row.document = report::bench_case_document(measured, false);
  return row;
}

Result<Row> row_from_document(const Group& group, const Item& item, const std::string& document) {
  const json value = json::parse(document, nullptr, false);
  if (!value.is_object()) return Error{.message = "this is not a JSON object"};
  try {
    ASSAY_TRY(Row row, read(row_of(group, item), value));
    row.document = value;
    return row;
  } catch (const std::exception& problem) {
    return Error{.message = fmt::format("this is not the document of a case: {}", problem.what())};
  }
}

}  // namespace assay::suite
