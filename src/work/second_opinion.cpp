// SPDX-License-Identifier: MIT
#include "work/second_opinion.hpp"

#include <nlohmann/json.hpp>

#include "check/result_json.hpp"
#include "profiling/compute_sanitizer.hpp"
#include "profiling/tool.hpp"
#include "spec/launch.hpp"
#include "work/kernel.hpp"

namespace assay::work {
namespace {

constexpr const char* kSecondOpinionGpu = "cuda:0";

Result<check::CaseResult> ask(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                              const check::Case& test, const std::string& tool, const SanitizeRequest& request,
                              const Context& context) {
  if (auto found = profiling::find_tool(profiling::kComputeSanitizer); !found) return std::move(found).error();
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, kSecondOpinionGpu, request.limits, context));
  profiling::SanitizerRun run;
  run.setup = runnable.worker.setup;
  run.setup.compare = false;
  run.setup.checks = {gpu::kMemcheck};
  run.setup.watched = true;
  run.test = test;
  run.tool = tool;
  ASSAY_TRY(run.kernel, first_kernel(spec, configuration, test.shape, runnable));
  run.source_folder = spec.source_path().parent_path();
  run.time_limit = runnable.worker.time_limit;
  run.program = context.program;
  return profiling::run_compute_sanitizer(run);
}

}  // namespace

SecondOpinion ask_compute_sanitizer(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const check::SanitizeReport& report, const SanitizeRequest& request,
                                    const Context& context) {
  SecondOpinion opinion;
  opinion.tool = request.compute_sanitizer.value_or("memcheck");
  opinion.device = kSecondOpinionGpu;
  if (report.results.empty()) {
    opinion.not_run = Error{"no shape was run"};
    return opinion;
  }
  const check::Case& test = report.results.back().test;
  opinion.shape = test.shape.text();
  auto result = ask(spec, configuration, test, opinion.tool, request, context);
  if (result) {
    opinion.result = std::move(*result);
  } else {
    opinion.not_run = std::move(result).error();
  }
  return opinion;
}

nlohmann::json second_opinion_json(const SecondOpinion& opinion) {
  nlohmann::json document = {{"tool", opinion.tool}, {"device", opinion.device}, {"shape", opinion.shape}};
  if (opinion.not_run) {
    document["verdict"] = "not run";
    document["reason"] = opinion.not_run->message;
    document["hint"] = opinion.not_run->hint;
    return document;
  }
  nlohmann::json findings = nlohmann::json::array();
  for (const gpu::Finding& finding : opinion.result.findings) findings.push_back(check::to_json(finding));
  document["verdict"] = opinion.result.passed() ? "clean" : "failed";
  document["message"] = opinion.result.message;
  document["findings"] = std::move(findings);
  document["occurrences"] = opinion.result.finding_occurrences;
  return document;
}

}  // namespace assay::work
