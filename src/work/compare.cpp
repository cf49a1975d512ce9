// SPDX-License-Identifier: MIT
#include "assay/compare.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "judge/compare.hpp"
#include "judge/comparison_json.hpp"
#include "work/compare_details.hpp"
#include "work/document.hpp"
#include "work/measuring.hpp"
#include "work/stored_measurement.hpp"

namespace assay::work {
namespace {

using OnCompared = std::function<void(const ComparedCase&)>;

std::optional<int64_t> attempt_number(const std::string& text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  return problem == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

ExitCode exit_code(judge::Verdict verdict) {
  switch (verdict) {
    case judge::Verdict::faster:
    case judge::Verdict::same:
      return ExitCode::good;
    case judge::Verdict::slower:
      return ExitCode::regression;
    case judge::Verdict::inconclusive:
    case judge::Verdict::throttled:
      break;
  }
  return ExitCode::inconclusive;
}

ComparedCase compared_case(std::string what, ComparedCaseDetails details) {
  ComparedCase result;
  result.what = std::move(what);
  if (details.comparison) {
    result.verdict = to_string(details.comparison->verdict);
    result.exit_code = exit_code(details.comparison->verdict);
    result.ratio = details.comparison->ratio;
  } else {
    result.verdict = "INCORRECT";
    result.exit_code = ExitCode::incorrect;
    for (const measure::ContenderResult& contender : details.measured->measured.contenders) {
      if (result.objection.empty() && !contender.good())
        result.objection = fmt::format("{}: {}", contender.name, contender.objection());
    }
  }
  result.details = std::make_shared<ComparedCaseDetails>(std::move(details));
  return result;
}

Result<CompareReport> compare_stored(int64_t first, int64_t second, const CompareRequest& request, Recording& recording,
                                     const OnCompared& on_case) {
  if (recording.ledger() == nullptr)
    return Error{"there is no ledger to take attempts from", {}, "give one with --ledger FILE", ExitCode::environment};
  ASSAY_TRY(const StoredMeasurement candidate, load_measurement(*recording.ledger(), first));
  ASSAY_TRY(const StoredMeasurement baseline, load_measurement(*recording.ledger(), second));
  ASSAY_CHECK(check_contracts(candidate.contract, baseline.contract, request.force));
  judge::CompareOptions options = compare_options(request.seed);
  options.interleaved = false;
  ASSAY_TRY(const judge::Comparison comparison, judge::compare(candidate.batches, baseline.batches, options));
  CompareReport report;
  report.cases.push_back(compared_case(fmt::format("attempt {} beside attempt {}", first, second), {comparison, {}}));
  report.exit_code = report.cases.front().exit_code;
  const auto details = std::make_shared<CompareDetails>();
  details->document = document_head("compare");
  details->document.update({{"candidate", first},
                            {"baseline", second},
                            {"verdict", to_string(comparison.verdict)},
                            {"comparison", judge::to_json(comparison)}});
  ledger::Attempt attempt = recording.draft();
  attempt.kernel = candidate.attempt.kernel;
  attempt.shape = candidate.attempt.shape;
  attempt.verdict = to_string(comparison.verdict);
  attempt.exit_code = static_cast<int>(report.exit_code);
  ASSAY_CHECK(recording.write(std::move(attempt), details->document));
  if (on_case) on_case(report.cases.front());
  report.details = details;
  return report;
}

Result<CompareReport> compare_attempts(int64_t first, int64_t second, const CompareRequest& request,
                                       const Context& context, const OnCompared& on_case) {
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context, {ledger::Kind::compare, nullptr, "", "", request.seed}));
  return compare_stored(first, second, request, recording, on_case);
}

Result<CompareReport> compare_measured(const spec::KernelSpec& spec, const spec::KernelSpec& other,
                                       const CompareRequest& request, const std::string& device, const Context& context,
                                       Recording& recording, const OnCompared& on_case) {
  ASSAY_TRY(
      Bench bench,
      prepare_bench(spec, {request.configuration, device, {other.file.string()}, "", request.measuring, request.seed},
                    context));
  CompareReport report;
  const auto details = std::make_shared<CompareDetails>();
  details->document = document_head("compare", spec, bench.request.configuration.id(), device);
  details->document["baseline"] = other.file.string();
  details->document["cases"] = nlohmann::json::array();
  const auto on_measured = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) -> Result<void> {
    nlohmann::json document = report::bench_case_document(measured, true);
    if (attempt) document["attempt"] = *attempt;
    details->document["cases"].push_back(std::move(document));
    report.cases.push_back(compared_case(measured.measured.shape, {measured.comparisons.at(1), measured}));
    report.exit_code = std::max(report.exit_code, report.cases.back().exit_code);
    if (on_case) on_case(report.cases.back());
    return {};
  };
  ASSAY_CHECK(run_bench(bench, compare_options(request.seed, bench, recording), recording, on_measured));
  report.details = details;
  return report;
}

Result<CompareReport> compare_kernels(const CompareRequest& request, const Context& context,
                                      const OnCompared& on_case) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.candidate));
  ASSAY_TRY(const spec::KernelSpec other, spec::load(request.baseline));
  ASSAY_TRY(const MeasuredDevice device, measured_device(request.device, "compare"));
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::compare, &spec, request.configuration, device.name, request.seed}));
  return recording.close(compare_measured(spec, other, request, device.name, context, recording, on_case));
}

}  // namespace

Result<CompareReport> compare(const CompareRequest& request, const Context& context, const OnCompared& on_case) {
  const auto first = attempt_number(request.candidate);
  const auto second = attempt_number(request.baseline);
  if (first.has_value() != second.has_value())
    return Error{
        "an attempt cannot be compared with a folder", {}, "give two numbers of assay log, or two kernel folders"};
  return first ? compare_attempts(*first, *second, request, context, on_case)
               : compare_kernels(request, context, on_case);
}

std::string to_json(const CompareReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
