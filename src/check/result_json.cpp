// SPDX-License-Identifier: MIT
#include "check/result_json.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace assay::check {
namespace {

using nlohmann::json;
using vgpu::Finding;

json to_json(const vgpu::Dim3& dim) {
  return json::array({dim.x, dim.y, dim.z});
}

json to_json(const vgpu::SourceLine& line) {
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
  const std::string text = value.get<std::string>();
  return text == "inf" ? INFINITY : text == "-inf" ? -INFINITY : NAN;
}

template <class Enum>
Enum enum_from(const json& value, std::initializer_list<Enum> all) {
  const std::string text = value.get<std::string>();
  for (const Enum candidate : all) {
    if (to_string(candidate) == text) return candidate;
  }
  throw std::invalid_argument("unknown word '" + text + "'");
}

vgpu::Dim3 dim_from(const json& value) {
  return {value.at(0).get<uint32_t>(), value.at(1).get<uint32_t>(), value.at(2).get<uint32_t>()};
}

Finding finding_from(const json& value) {
  using enum vgpu::FindingKind;
  Finding finding;
  finding.kind = enum_from<vgpu::FindingKind>(value.at("kind"), {out_of_bounds, misaligned, null_pointer, use_after_free, illegal_address, trap,
                                                                assertion, deadlock, instruction_limit, invalid_free, illegal_instruction});
  using A = vgpu::AccessKind;
  finding.access = enum_from<A>(value.at("access"), {A::none, A::load, A::store, A::atomic, A::async_copy});
  using S = vgpu::Space;
  finding.space = enum_from<S>(value.at("space"), {S::generic, S::global, S::shared, S::local, S::constant, S::parameter});
  finding.address = std::stoull(value.at("address").get<std::string>(), nullptr, 16);
  finding.bytes = value.at("bytes").get<uint32_t>();
  finding.kernel = value.at("kernel").get<std::string>();
  finding.instruction = value.at("instruction").get<std::string>();
  finding.ptx_line = value.at("ptx_line").get<int>();
  finding.block = dim_from(value.at("block"));
  finding.thread = dim_from(value.at("thread"));
  finding.message = value.at("message").get<std::string>();
  finding.allocation = value.at("allocation").get<std::string>();
  finding.count = value.at("count").get<uint64_t>();
  for (const json& line : value.at("source")) {
    finding.source.push_back({line.at("file").get<std::string>(), line.at("line").get<int>(), line.at("column").get<int>(), line.at("function").get<std::string>()});
  }
  return finding;
}

json to_json(const Mismatch& mismatch) {
  return {{"kind", name(mismatch.kind)},
          {"index", mismatch.index},
          {"expected", number(mismatch.expected)},
          {"got", number(mismatch.got)},
          {"absolute_error", number(mismatch.absolute_error)},
          {"relative_error", number(mismatch.relative_error)},
          {"ulp_error", number(mismatch.ulp_error)},
          {"allowed", number(mismatch.allowed)}};
}

Mismatch mismatch_from(const json& value) {
  Mismatch mismatch;
  constexpr std::array kKinds = {MismatchKind::beyond_tolerance, MismatchKind::nan, MismatchKind::infinite, MismatchKind::not_infinite, MismatchKind::unwritten};
  for (const MismatchKind kind : kKinds) {
    if (name(kind) == value.at("kind").get<std::string>()) mismatch.kind = kind;
  }
  mismatch.index = value.at("index").get<std::vector<int64_t>>();
  mismatch.expected = number_from(value.at("expected"));
  mismatch.got = number_from(value.at("got"));
  mismatch.absolute_error = number_from(value.at("absolute_error"));
  mismatch.relative_error = number_from(value.at("relative_error"));
  mismatch.ulp_error = number_from(value.at("ulp_error"));
  mismatch.allowed = number_from(value.at("allowed"));
  return mismatch;
}

CaseResult read_case_result(const json& value, const Case& test) {
  CaseResult result;
  result.test = test;
  result.outcome = outcome_from_name(value.at("outcome").get<std::string>()).value_or(Outcome::crashed);
  result.message = value.at("message").get<std::string>();
  result.hint = value.at("hint").get<std::string>();
  result.tensor = value.at("tensor").get<std::string>();
  for (const json& finding : value.at("findings")) result.findings.push_back(finding_from(finding));
  result.finding_occurrences = value.at("finding_occurrences").get<uint64_t>();
  if (value.contains("mismatch")) result.mismatch = mismatch_from(value.at("mismatch"));
  result.failures = value.at("failures").get<int64_t>();
  result.elements = value.at("elements").get<int64_t>();
  result.max_absolute_error = number_from(value.at("max_absolute_error"));
  result.max_relative_error = number_from(value.at("max_relative_error"));
  result.max_ulp_error = number_from(value.at("max_ulp_error"));
  result.instructions = value.at("warp_instructions_counted").get<uint64_t>();
  result.thread_instructions = value.at("thread_instructions_counted").get<uint64_t>();
  result.seconds = number_from(value.at("host_seconds"));
  result.printed = value.at("printed").get<std::string>();
  return result;
}

}  // namespace

json to_json(const Finding& finding) {
  json source = json::array();
  for (const vgpu::SourceLine& line : finding.source) source.push_back(to_json(line));
  // The innermost line of the user's own code is what a person looks for first.
  const bool has_line = !finding.source.empty();
  return {{"kind", to_string(finding.kind)},
          {"space", to_string(finding.space)},
          {"access", to_string(finding.access)},
          {"bytes", finding.bytes},
          {"block", to_json(finding.block)},
          {"thread", to_json(finding.thread)},
          {"address", fmt::format("0x{:x}", finding.address)},
          {"file", has_line ? finding.source.front().file : ""},
          {"line", has_line ? finding.source.front().line : 0},
          {"source", std::move(source)},
          {"kernel", finding.kernel},
          {"instruction", finding.instruction},
          {"ptx_line", finding.ptx_line},
          {"message", finding.message},
          {"allocation", finding.allocation},
          {"count", finding.count}};
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
                {"max_absolute_error", number(result.max_absolute_error)},
                {"max_relative_error", number(result.max_relative_error)},
                {"max_ulp_error", number(result.max_ulp_error)},
                {"warp_instructions_counted", result.instructions},
                {"thread_instructions_counted", result.thread_instructions},
                {"host_seconds", number(result.seconds)},
                {"printed", result.printed}};
  if (result.mismatch) value["mismatch"] = to_json(*result.mismatch);
  return value;
}

Result<CaseResult> case_result_from_json(const json& value, const Case& test) {
  try {
    return read_case_result(value, test);
  } catch (const std::exception& problem) {
    return Error{fmt::format("the worker's answer is not understood: {}", problem.what()), {}, "", ExitCode::internal};
  }
}

}  // namespace assay::check
