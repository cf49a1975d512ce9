// SPDX-License-Identifier: MIT
#include "assay/check.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "check/result_json.hpp"
#include "report/documents.hpp"
#include "spec/open_points.hpp"
#include "spec/shape.hpp"
#include "work/check_details.hpp"
#include "work/document.hpp"
#include "work/findings.hpp"
#include "work/kernel.hpp"
#include "work/kernel_sources.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"
#include "work/verdict.hpp"

namespace assay::work {
namespace {

Result<std::optional<check::Case>> single_case(const spec::KernelSpec& spec, const CheckRequest& request) {
  if (request.shape.empty()) {
    if (!request.distribution.empty()) return Error{"--distribution needs --shape"};
    return std::optional<check::Case>();
  }
  check::Case test;
  ASSAY_TRY(test.shape, spec::parse_shape(spec, request.shape));
  test.seed = request.seed;
  if (!request.distribution.empty()) {
    const auto distribution = check::distribution_from_name(request.distribution);
    if (!distribution) {
      std::string known;
      for (const check::Distribution each : check::all_distributions())
        known += (known.empty() ? "" : ", ") + std::string(check::name(each));
      return Error{fmt::format("there is no distribution '{}'", request.distribution), {}, "choose one of " + known};
    }
    test.distribution = *distribution;
  }
  return std::optional<check::Case>(test);
}

Result<check::Fmad> fmad_named(const std::string& name) {
  if (name == "off") return check::Fmad::off;
  if (name == "on") return check::Fmad::on;
  if (name == "both") return check::Fmad::both;
  return Error{fmt::format("--fmad takes on, off or both, not '{}'", name)};
}

ledger::Attempt attempt_of(const Recording& recording, const Runnable& runnable, const ConfigurationCheck& checked) {
  const check::CheckReport& report = checked.details->report;
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, runnable.built);
  attempt.verdict = checked.verdict;
  if (checked.exit_code != ExitCode::inconclusive) attempt.correct = checked.correct();
  attempt.exit_code = static_cast<int>(checked.exit_code);
  if (report.failure) {
    attempt.shape = report.failure->test.shape.text();
  } else if (report.results.size() == 1) {
    attempt.shape = report.results.front().test.shape.text();
  }
  return attempt;
}

ConfigurationCheck condensed(const std::shared_ptr<const CheckDetails>& details, const std::string& device) {
  const check::CheckReport& report = details->report;
  ConfigurationCheck checked;
  checked.exit_code = report.failure ? exit_code(report.failure->outcome) : ExitCode::good;
  checked.verdict = checked.exit_code == ExitCode::good        ? "correct"
                    : checked.exit_code == ExitCode::incorrect ? "incorrect"
                                                               : "inconclusive";
  checked.kernel = details->spec.kernel.name;
  checked.configuration = details->configuration.id();
  checked.device = device;
  checked.validated = report.validated();
  for (const check::CaseResult& result : report.results) {
    checked.cases.push_back({result.test.shape.text(), std::string(name(result.test.distribution)), result.test.seed,
                             std::string(name(result.outcome)), result.message, result.compared,
                             result.max_absolute_error});
  }
  if (report.failure) {
    for (const gpu::Finding& finding : report.failure->findings)
      checked.findings.push_back(public_finding(finding, report.failure->test.shape.text()));
  }
  checked.details = details;
  return checked;
}

// All that the result of a case depends on, besides the case itself.
Result<std::string> work_key(const CheckRequest& request, const spec::KernelSpec& spec,
                             const spec::Configuration& configuration, const std::string& device,
                             const Runnable& runnable) {
  ASSAY_TRY(const std::string specification, read_file(spec.file));
  ASSAY_TRY(const std::string ptx, read_file(runnable.built.ptx.empty() ? runnable.built.cubin : runnable.built.ptx));
  Hasher hasher;
  hasher.add("check").add(kVersion).add(specification).add(ptx).add(configuration.id()).add(device);
  hasher.add(std::to_string(request.seed)).add(std::to_string(request.fuzz)).add(request.shape);
  hasher.add(request.distribution).add(request.check_memory ? "memory" : "");
  hasher.add(sources_hash(spec));
  return hasher.hex();
}

std::string piece_of(const check::Case& test, bool fused) {
  return fmt::format("{} {} {}{}", test.shape.text(), check::name(test.distribution), test.seed, fused ? " fused" : "");
}

Result<ConfigurationCheck> check_one(const CheckRequest& request, const Context& context, const spec::KernelSpec& spec,
                                     const spec::Configuration& configuration, const std::string& device,
                                     Recording& recording, std::vector<Resumption>& unfinished) {
  const auto details = std::make_shared<CheckDetails>();
  details->spec = spec;
  details->configuration = configuration;
  check::CheckOptions options;
  options.cases.seed = request.seed;
  options.cases.fuzz_cases = request.fuzz;
  options.repetitions = request.repetitions;
  options.context = context;
  ASSAY_TRY(options.fmad, fmad_named(request.fmad));
  ASSAY_TRY(options.only, single_case(spec, request));
  ASSAY_TRY(Runnable runnable, make_runnable(spec, configuration, device, request.limits, context));
  if (!request.check_memory) runnable.worker.setup.checks = {};
  ASSAY_TRY(const std::string work, work_key(request, spec, configuration, device, runnable));
  ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), work));
  if (resumption.size() > 0 && context.listener != nullptr)
    context.listener->note(fmt::format("{}: {} were checked before the interruption", configuration.id(),
                                       counted(resumption.size(), "case")));
  options.recall = [&](const check::Case& test, bool fused) -> std::optional<check::CaseResult> {
    const std::string* const payload = resumption.recall(piece_of(test, fused));
    if (payload == nullptr) return std::nullopt;
    auto result = check::case_result_from_json(nlohmann::json::parse(*payload, nullptr, false), test);
    return result && result->passed() ? std::optional(std::move(*result)) : std::nullopt;
  };
  options.remember = [&](const check::CaseResult& result, bool fused) {
    return resumption.remember(piece_of(result.test, fused),
                               check::to_json(result).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  };
  auto report = check::check(spec, configuration, runnable.worker, options);
  ASSAY_CHECK(resumption.flush());
  ASSAY_TRY(details->report, std::move(report));
  const size_t resumed = resumption.size();
  unfinished.push_back(std::move(resumption));
  if (details->report.failure) {
    if (auto error = no_verdict(spec, *details->report.failure)) return *std::move(error);
  }
  ConfigurationCheck checked = condensed(details, device);
  details->document = report::check_document(details->report);
  details->document["verdict"] = checked.verdict;
  details->document["resumed"] = resumed;
  ASSAY_CHECK(recording.write(attempt_of(recording, runnable, checked), details->document));
  return checked;
}

Result<CheckReport> check_all(const CheckRequest& request, const Context& context, const spec::KernelSpec& spec,
                              const std::string& device, Recording& recording,
                              const std::function<void(const ConfigurationCheck&)>& on_configuration,
                              UnfinishedWork* longer) {
  std::vector<spec::Configuration> configurations;
  if (request.choice.configuration == "all") {
    ASSAY_TRY(configurations, spec::configurations(spec));
  } else {
    ASSAY_TRY(spec::Configuration configuration, chosen_configuration(spec, request.choice.configuration));
    configurations.push_back(std::move(configuration));
  }
  CheckReport report;
  report.verdict = "correct";
  std::vector<Resumption> unfinished;
  for (const spec::Configuration& configuration : configurations) {
    ASSAY_TRY(ConfigurationCheck checked,
              check_one(request, context, spec, configuration, device, recording, unfinished));
    if (on_configuration) on_configuration(checked);
    if (worse(report.exit_code, checked.exit_code) != report.exit_code) {
      report.exit_code = checked.exit_code;
      report.verdict = checked.verdict;
    }
    report.configurations.push_back(std::move(checked));
  }
  for (Resumption& each : unfinished) ASSAY_CHECK(each.finish(longer));
  return report;
}

nlohmann::json document_of(const ConfigurationCheck& checked) {
  nlohmann::json document = document_head("check", checked.details->spec, checked.configuration, checked.device);
  document.update(checked.details->document);
  return document;
}

}  // namespace

Result<CheckReport> check(const CheckRequest& request, const Context& context,
                          const std::function<void(const ConfigurationCheck&)>& on_configuration) {
  return check_as_part(request, context, nullptr, on_configuration);
}

Result<CheckReport> check_as_part(const CheckRequest& request, const Context& context, UnfinishedWork* longer,
                                  const std::function<void(const ConfigurationCheck&)>& on_configuration) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  if (const std::vector<spec::Open> points = spec::open_points(spec); !points.empty()) return spec::still_open(points);
  const std::string device = device_for(spec, request.choice.device);
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::check, &spec, request.choice.configuration, device, request.seed}));
  return recording.close(check_all(request, context, spec, device, recording, on_configuration, longer));
}

std::string to_json(const CheckReport& report) {
  if (report.configurations.size() == 1) return document_text(document_of(report.configurations.front()));
  nlohmann::json document = document_head("check");
  document["verdict"] = report.verdict;
  document["configurations"] = nlohmann::json::array();
  for (const ConfigurationCheck& checked : report.configurations)
    document["configurations"].push_back(document_of(checked));
  return document_text(document);
}

}  // namespace assay::work
