// SPDX-License-Identifier: MIT
#include "check/result_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <utility>

#include "check/counters_json.hpp"

namespace assay::check {
namespace {

using gpu::Finding;
using nlohmann::json;

json to_json(const gpu::SourceLine& line) {
  return {{"file", line.file}, {"line", line.line}, {"column", line.column}, {"function", line.function}};
}

// JSON has no NaN and no infinities; they are written as words.
json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from(const json& value) {
  if (value.is_number()) return value.get<double>();
  const std::string word = value.get<std::string>();
  if (word == "nan") return NAN;
  if (word == "inf") return INFINITY;
  if (word == "-inf") return -INFINITY;
  throw std::invalid_argument("'" + word + "' is not a number");
}

// An integer with all of its digits, where a double has not.
json number(double value, const std::string& digits) {
  return digits.empty() ? number(value) : json::parse(digits);
}

std::string digits_from(const json& value) {
  return value.is_number_integer() ? value.dump() : "";
}

// The library would cut off what does not fit.
template <class T>
T whole(const json& value) {
  if (value.is_number_unsigned() && std::in_range<T>(value.get<uint64_t>()))
    return static_cast<T>(value.get<uint64_t>());
  if (value.is_number_integer() && !value.is_number_unsigned() && std::in_range<T>(value.get<int64_t>())) {
    return static_cast<T>(value.get<int64_t>());
  }
  throw std::invalid_argument("expected a whole number that fits");
}

const json& list(const json& object, const char* key) {
  const json& value = object.at(key);
  if (!value.is_array()) throw std::invalid_argument(std::string("expected a list, found ") + value.type_name());
  return value;
}

std::string text(const json& value) {
  return value.get<std::string>();
}

template <class Enum>
Enum named(const json& value, std::optional<Enum> (*find)(std::string_view)) {
  const std::string word = text(value);
  if (const std::optional<Enum> found = find(word)) return *found;
  throw std::invalid_argument("unknown word '" + word + "'");
}

gpu::Dim3 dim_from(const json& value) {
  return {whole<uint32_t>(value.at(0)), whole<uint32_t>(value.at(1)), whole<uint32_t>(value.at(2))};
}

uint64_t address_from(const json& value) {
  const std::string digits = text(value);
  uint64_t address = 0;
  const auto [end, problem] =
      std::from_chars(digits.data() + std::min<size_t>(2, digits.size()), digits.data() + digits.size(), address, 16);
  if (!digits.starts_with("0x") || problem != std::errc() || end != digits.data() + digits.size()) {
    throw std::invalid_argument("'" + digits + "' is not an address");
  }
  return address;
}

json to_json(const gpu::FindingThread& thread) {
  return {{"block", dimensions(thread.block)},
          {"thread", dimensions(thread.thread)},
          {"address", fmt::format("0x{:x}", thread.address)},
          {"allocation", thread.allocation},
          {"count", thread.count}};
}

gpu::FindingThread thread_from(const json& value) {
  return {dim_from(value.at("block")), dim_from(value.at("thread")), address_from(value.at("address")),
          text(value.at("allocation")), whole<uint64_t>(value.at("count"))};
}

Finding finding_from(const json& value) {
  Finding finding;
  finding.kind = named(value.at("kind"), gpu::finding_kind_named);
  finding.access = named(value.at("access"), gpu::access_kind_named);
  finding.space = named(value.at("space"), gpu::space_named);
  finding.address = address_from(value.at("address"));
  finding.bytes = whole<uint32_t>(value.at("bytes"));
  finding.kernel = text(value.at("kernel"));
  finding.instruction = text(value.at("instruction"));
  finding.ptx_line = whole<int>(value.at("ptx_line"));
  if (!value.at("block").is_null()) finding.block = dim_from(value.at("block"));
  if (!value.at("thread").is_null()) finding.thread = dim_from(value.at("thread"));
  finding.message = text(value.at("message"));
  finding.allocation = text(value.at("allocation"));
  finding.count = whole<uint64_t>(value.at("count"));
  finding.thread_count = whole<uint64_t>(value.at("thread_count"));
  for (const json& thread : list(value, "threads")) finding.threads.push_back(thread_from(thread));
  for (const json& note : list(value, "notes")) finding.notes.push_back(text(note));
  for (const json& line : list(value, "source")) {
    finding.source.push_back(
        {text(line.at("file")), whole<int>(line.at("line")), whole<int>(line.at("column")), text(line.at("function"))});
  }
  return finding;
}

json to_json(const Mismatch& mismatch) {
  return {{"kind", name(mismatch.kind)},
          {"index", mismatch.index},
          {"expected", number(mismatch.expected, mismatch.expected_digits)},
          {"got", number(mismatch.got, mismatch.got_digits)},
          {"absolute_error", number(mismatch.absolute_error)},
          {"relative_error", number(mismatch.relative_error)},
          {"ulp_error", number(mismatch.ulp_error)},
          {"allowed", number(mismatch.allowed)}};
}

Mismatch mismatch_from(const json& value) {
  Mismatch mismatch;
  constexpr std::array kKinds = {MismatchKind::beyond_tolerance, MismatchKind::nan, MismatchKind::infinite,
                                 MismatchKind::not_infinite, MismatchKind::unwritten};
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](MismatchKind known) { return name(known) == text(value.at("kind")); });
  if (kind == kKinds.end()) throw std::invalid_argument("unknown kind of mismatch");
  mismatch.kind = *kind;
  for (const json& index : list(value, "index")) mismatch.index.push_back(whole<int64_t>(index));
  mismatch.expected = number_from(value.at("expected"));
  mismatch.got = number_from(value.at("got"));
  mismatch.expected_digits = digits_from(value.at("expected"));
  mismatch.got_digits = digits_from(value.at("got"));
  mismatch.absolute_error = number_from(value.at("absolute_error"));
  mismatch.relative_error = number_from(value.at("relative_error"));
  mismatch.ulp_error = number_from(value.at("ulp_error"));
  mismatch.allowed = number_from(value.at("allowed"));
  return mismatch;
}

CaseResult read_case_result(const json& value, const Case& test) {
  CaseResult result;
  result.test = test;
  const auto outcome = outcome_from_name(text(value.at("outcome")));
  if (!outcome) throw std::invalid_argument("unknown outcome");
  result.outcome = *outcome;
  result.message = text(value.at("message"));
  result.hint = text(value.at("hint"));
  result.tensor = text(value.at("tensor"));
  for (const json& finding : list(value, "findings")) result.findings.push_back(finding_from(finding));
  result.finding_occurrences = whole<uint64_t>(value.at("finding_occurrences"));
  if (value.contains("mismatch")) result.mismatch = mismatch_from(value.at("mismatch"));
  result.failures = whole<int64_t>(value.at("failures"));
  result.elements = whole<int64_t>(value.at("elements"));
  result.compared = whole<int64_t>(value.at("compared"));
  result.max_absolute_error = number_from(value.at("max_absolute_error"));
  result.max_relative_error = number_from(value.at("max_relative_error"));
  result.max_ulp_error = number_from(value.at("max_ulp_error"));
  result.tolerance_used = number_from(value.at("tolerance_used"));
  result.instructions = whole<uint64_t>(value.at("warp_instructions_counted"));
  result.thread_instructions = whole<uint64_t>(value.at("thread_instructions_counted"));
  result.seconds = number_from(value.at("host_seconds"));
  result.printed = text(value.at("printed"));
  if (value.contains("counters")) result.counters = launch_counters_from_json(value.at("counters"));
  return result;
}

SelfTest read_self_test(const json& value, const Case& test) {
  SelfTest made;
  made.test = test;
  for (const json& entry : list(value, "perturbations")) {
    PerturbationTrial trial;
    trial.perturbation = named(entry.at("perturbation"), perturbation_from_name);
    trial.tensor = text(entry.at("tensor"));
    for (const json& index : list(entry, "index")) trial.index.push_back(whole<int64_t>(index));
    trial.expected = number_from(entry.at("expected"));
    trial.planted = number_from(entry.at("planted"));
    trial.allowed = number_from(entry.at("allowed"));
    trial.caught = entry.at("caught").get<bool>();
    made.trials.push_back(std::move(trial));
  }
  made.inputs_vary = value.at("inputs_vary").get<bool>();
  made.results_vary = value.at("results_vary").get<bool>();
  for (const json& suspicion : list(value, "suspicions")) made.suspicions.push_back(text(suspicion));
  made.by_function = value.at("by_function").get<bool>();
  return made;
}

template <class T>
Result<T> read_answer(T (*read)(const json&, const Case&), const json& value, const Case& test) {
  try {
    return read(value, test);
  } catch (const std::exception& problem) {
    return Error{fmt::format("the worker's answer is not understood: {}", problem.what()), {}, "", ExitCode::internal};
  }
}

CheckCosts read_costs(const json& value, const Case& test) {
  CheckCosts costs;
  costs.shape = test.shape.text();
  costs.bare_s = value.at("bare_seconds").get<double>();
  costs.all_s = value.at("all_seconds").get<double>();
  for (const auto& [name, entry] : value.at("alone").items())
    costs.each.emplace_back(name, entry.at("seconds").get<double>());
  return costs;
}

}  // namespace

std::string one_line(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

json dimensions(const gpu::Dim3& size) {
  return json::array({size.x, size.y, size.z});
}

bool place_known(const Finding& finding) {
  return !finding.source.empty() || finding.ptx_line != 0 || !finding.instruction.empty() ||
         finding.access != gpu::AccessKind::none;
}

json to_json(const Finding& finding) {
  json source = json::array();
  for (const gpu::SourceLine& line : finding.source) source.push_back(to_json(line));
  const gpu::SourceLine* line = user_line(finding);
  json threads = json::array();
  for (const gpu::FindingThread& thread : finding.threads) threads.push_back(to_json(thread));
  return {{"kind", to_string(finding.kind)},
          {"space", to_string(finding.space)},
          {"access", to_string(finding.access)},
          {"bytes", finding.bytes},
          {"block", place_known(finding) ? dimensions(finding.block) : json()},
          {"thread", place_known(finding) ? dimensions(finding.thread) : json()},
          {"address", fmt::format("0x{:x}", finding.address)},
          {"file", line != nullptr ? line->file : ""},
          {"line", line != nullptr ? line->line : 0},
          {"column", line != nullptr ? line->column : 0},
          {"source", std::move(source)},
          {"kernel", finding.kernel},
          {"instruction", finding.instruction},
          {"ptx_line", finding.ptx_line},
          {"message", finding.message},
          {"allocation", finding.allocation},
          {"notes", finding.notes},
          {"count", finding.count},
          {"thread_count", finding.thread_count},
          {"threads", std::move(threads)}};
}

json to_json(const CaseResult& result) {
  json findings = json::array();
  for (const Finding& finding : result.findings) findings.push_back(to_json(finding));
  json value = {{"shape", result.test.shape.text()},
                {"distribution", name(result.test.distribution)},
                {"seed", result.test.seed},
                {"origin", name(result.test.origin)},
                {"outcome", name(result.outcome)},
                {"message", result.message},
                {"hint", result.hint},
                {"tensor", result.tensor},
                {"findings", std::move(findings)},
                {"finding_occurrences", result.finding_occurrences},
                {"failures", result.failures},
                {"elements", result.elements},
                {"compared", result.compared},
                {"max_absolute_error", number(result.max_absolute_error)},
                {"max_relative_error", number(result.max_relative_error)},
                {"max_ulp_error", number(result.max_ulp_error)},
                {"tolerance_used", number(result.tolerance_used)},
                {"warp_instructions_counted", result.instructions},
                {"thread_instructions_counted", result.thread_instructions},
                {"host_seconds", number(result.seconds)},
                {"printed", result.printed}};
  if (result.mismatch) value["mismatch"] = to_json(*result.mismatch);
  if (result.counters) value["counters"] = to_json(*result.counters);
  return value;
}

json to_json(const SelfTest& test) {
  json perturbations = json::array();
  for (const PerturbationTrial& trial : test.trials) {
    perturbations.push_back({{"perturbation", name(trial.perturbation)},
                             {"tensor", trial.tensor},
                             {"index", trial.index},
                             {"expected", number(trial.expected)},
                             {"planted", number(trial.planted)},
                             {"allowed", number(trial.allowed)},
                             {"caught", trial.caught}});
  }
  return {{"shape", test.test.shape.text()}, {"distribution", name(test.test.distribution)},
          {"seed", test.test.seed},          {"perturbations", std::move(perturbations)},
          {"inputs_vary", test.inputs_vary}, {"results_vary", test.results_vary},
          {"suspicions", test.suspicions},   {"by_function", test.by_function}};
}

Result<CaseResult> case_result_from_json(const json& value, const Case& test) {
  return read_answer(read_case_result, value, test);
}

json to_json(const CheckCosts& costs) {
  json each = json::object();
  for (const auto& [name, seconds] : costs.each) each[name] = {{"seconds", seconds}, {"times", costs.times(seconds)}};
  return {{"shape", costs.shape},
          {"bare_seconds", costs.bare_s},
          {"all_seconds", costs.all_s},
          {"all_times", costs.times(costs.all_s)},
          {"alone", std::move(each)}};
}

Result<CheckCosts> costs_from_json(const json& value, const Case& test) {
  return read_answer(read_costs, value, test);
}

Result<SelfTest> self_test_from_json(const json& value, const Case& test) {
  return read_answer(read_self_test, value, test);
}

}  // namespace assay::check
