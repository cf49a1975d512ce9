// SPDX-License-Identifier: MIT
#include "assay/sanitize.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "check/coverage.hpp"
#include "check/result_json.hpp"
#include "profiling/compute_sanitizer.hpp"
#include "report/documents.hpp"
#include "spec/shape.hpp"
#include "work/document.hpp"
#include "work/findings.hpp"
#include "work/kernel.hpp"
#include "work/kernel_sources.hpp"
#include "work/recording.hpp"
#include "work/sanitize_details.hpp"
#include "work/verdict.hpp"

namespace assay::work {
namespace {

Result<void> check_tool(const std::optional<std::string>& tool) {
  const std::vector<std::string>& tools = profiling::sanitizer_tools();
  if (!tool || std::find(tools.begin(), tools.end(), *tool) != tools.end()) return {};
  return Error{fmt::format("compute-sanitizer has no tool '{}'", *tool), {}, "choose one of " + join(tools, ", ")};
}

void take_findings(SanitizeReport& report, const SanitizeDetails& details) {
  for (size_t i = 0; i < details.report.findings.size(); ++i)
    report.findings.push_back(public_finding(details.report.findings[i], details.report.finding_shapes[i]));
  if (details.second) {
    for (const gpu::Finding& finding : details.second->result.findings)
      report.findings.push_back(public_finding(finding, details.second->shape));
  }
  for (const check::CaseResult& result : details.report.results) report.shapes.push_back(result.test.shape.text());
}

// The kernel's own fault first: a finding of one tool stands, whatever kept the other from its end.
void judge(SanitizeReport& report, const SanitizeDetails& details) {
  const check::CaseResult* failure = details.report.failure();
  report.exit_code = failure == nullptr ? ExitCode::good : exit_code(failure->outcome);
  if (details.second && !details.second->clean()) report.exit_code = ExitCode::incorrect;
  report.verdict = report.exit_code == ExitCode::good        ? "clean"
                   : report.exit_code == ExitCode::incorrect ? "failed"
                                                             : "inconclusive";
}

ledger::Attempt attempt_of(const Recording& recording, const Runnable& runnable, const SanitizeReport& report) {
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, runnable.built);
  attempt.verdict = report.verdict;
  attempt.exit_code = static_cast<int>(report.exit_code);
  if (report.shapes.size() == 1) attempt.shape = report.shapes.front();
  return attempt;
}

// All that the result of a shape depends on, besides the shape itself.
Result<std::string> work_key(const SanitizeRequest& request, const SanitizeDetails& details, const std::string& device,
                             const Runnable& runnable) {
  ASSAY_TRY(const std::string specification, read_file(details.spec.file));
  ASSAY_TRY(const std::string ptx, read_file(runnable.built.ptx));
  Hasher hasher;
  hasher.add("sanitize").add(kVersion).add(specification).add(ptx).add(details.configuration.id()).add(device);
  hasher.add(std::to_string(request.seed)).add(request.checks).add(request.shape).add(sources_hash(details.spec));
  return hasher.hex();
}

Result<check::SanitizeReport> run_checks(const SanitizeDetails& details, const Runnable& runnable,
                                         check::SanitizeOptions options, Resumption& resumption) {
  if (resumption.size() > 0 && options.context.listener != nullptr)
    options.context.listener->note(fmt::format("{}: {} were sanitized before the interruption",
                                               details.spec.kernel.name, counted(resumption.size(), "shape")));
  options.recall = [&](const check::Case& test) -> std::optional<check::CaseResult> {
    const std::string* const payload = resumption.recall(test.shape.text());
    if (payload == nullptr) return std::nullopt;
    auto result = check::case_result_from_json(nlohmann::json::parse(*payload, nullptr, false), test);
    return result ? std::optional(std::move(*result)) : std::nullopt;
  };
  options.remember = [&](const check::CaseResult& result) {
    return resumption.remember(result.test.shape.text(),
                               check::to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  };
  auto report = check::sanitize(details.spec, details.configuration, runnable.worker, options);
  ASSAY_CHECK(resumption.flush());
  return report;
}

Result<SanitizeReport> sanitize_one(const SanitizeRequest& request, const Context& context,
                                    const std::shared_ptr<SanitizeDetails>& details, const std::string& device,
                                    Recording& recording, UnfinishedWork* longer) {
  const spec::KernelSpec& spec = details->spec;
  ASSAY_TRY(details->configuration, chosen_configuration(spec, request.choice.configuration));
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, details->configuration, device, request.limits, context));
  check::SanitizeOptions options;
  options.seed = request.seed;
  options.costs = request.costs;
  options.context = context;
  if (!request.checks.empty()) {
    ASSAY_TRY(options.checks, check::parse_checks(request.checks));
  }
  if (!request.shape.empty()) {
    ASSAY_TRY(options.shape, spec::parse_shape(spec, request.shape));
  }
  ASSAY_TRY(const std::string work, work_key(request, *details, device, runnable));
  ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), work));
  ASSAY_TRY(details->report, run_checks(*details, runnable, options, resumption));
  const check::CaseResult* failure = details->report.failure();
  if (failure != nullptr) {
    if (auto error = no_verdict(spec, *failure)) return *std::move(error);
  }
  if (request.compute_sanitizer)
    details->second = ask_compute_sanitizer(spec, details->configuration, details->report, request, context);
  SanitizeReport report;
  report.kernel = spec.kernel.name;
  report.configuration = details->configuration.id();
  report.device = device;
  report.checked = details->report.coverage.checked;
  report.not_checked = details->report.coverage.not_checked;
  take_findings(report, *details);
  judge(report, *details);
  details->document = report::sanitize_document(details->report);
  details->document["verdict"] = report.verdict;
  details->document["resumed"] = resumption.size();
  if (details->second) details->document["compute_sanitizer"] = second_opinion_json(*details->second);
  report.details = details;
  ASSAY_CHECK(recording.write(attempt_of(recording, runnable, report), details->document));
  ASSAY_CHECK(resumption.finish(longer));
  return report;
}

}  // namespace

Result<SanitizeReport> sanitize(const SanitizeRequest& request, const Context& context) {
  return sanitize_as_part(request, context, nullptr);
}

Result<SanitizeReport> sanitize_as_part(const SanitizeRequest& request, const Context& context,
                                        UnfinishedWork* longer) {
  ASSAY_CHECK(check_tool(request.compute_sanitizer));
  const auto details = std::make_shared<SanitizeDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  ASSAY_TRY(const std::string device, virtual_device_for(details->spec, request.choice.device));
  ASSAY_TRY(Recording recording, Recording::open(request.record, context,
                                                 {ledger::Kind::sanitize, &details->spec, request.choice.configuration,
                                                  device, request.seed}));
  return recording.close(sanitize_one(request, context, details, device, recording, longer));
}

std::string to_json(const SanitizeReport& report) {
  nlohmann::json document = document_head("sanitize", report.details->spec, report.configuration, report.device);
  document.update(report.details->document);
  return document_text(document);
}

}  // namespace assay::work
