// SPDX-License-Identifier: MIT
#include "cli/second_opinion.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "check/result_json.hpp"
#include "diagnose/compute_sanitizer.hpp"
#include "diagnose/tool.hpp"
#include "report/finding_text.hpp"
#include "report/terminal.hpp"
#include "spec/launch.hpp"

namespace assay::cli {
namespace {

constexpr const char* kGpu = "cuda:0";

Result<check::CaseResult> ask(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                              const check::Case& test, const std::string& tool, const Options& options) {
  if (auto found = diagnose::find_tool(diagnose::kComputeSanitizer); !found) return std::move(found).error();
  Options on_gpu = options;
  on_gpu.device = kGpu;
  ASSAY_TRY(const Runnable runnable, make_runnable(spec, configuration, on_gpu));
  diagnose::SanitizerRun run;
  run.setup = runnable.worker.setup;
  run.setup.compare = false;
  run.setup.check_memory = true;
  run.setup.watched = true;
  run.test = test;
  run.tool = tool;
  ASSAY_TRY(run.kernel, spec::entry_name(spec, configuration, test.shape));
  run.source_folder = spec.source_path().parent_path();
  run.time_limit = runnable.worker.time_limit;
  return diagnose::run_compute_sanitizer(run);
}

}  // namespace

SecondOpinion ask_compute_sanitizer(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const check::SanitizeReport& report, const Options& options) {
  SecondOpinion opinion;
  opinion.tool = options.tool.empty() ? "memcheck" : options.tool;
  opinion.device = kGpu;
  if (report.results.empty()) {
    opinion.not_run = Error{"no shape was run"};
    return opinion;
  }
  const check::Case& test = report.results.back().test;
  opinion.shape = test.shape.text();
  auto result = ask(spec, configuration, test, opinion.tool, options);
  if (result) {
    opinion.result = std::move(*result);
  } else {
    opinion.not_run = std::move(result).error();
  }
  return opinion;
}

std::string second_opinion_text(const SecondOpinion& opinion) {
  using report::Colour;
  const report::Terminal terminal;
  const std::string who = fmt::format("compute-sanitizer {} on {}", opinion.tool, opinion.device);
  if (opinion.not_run) {
    std::string text =
        terminal.paint(Colour::yellow, fmt::format("{} did not run: ", who)) + opinion.not_run->message + "\n";
    if (!opinion.not_run->hint.empty()) text += fmt::format("  {}\n", opinion.not_run->hint);
    return text;
  }
  if (opinion.result.passed())
    return fmt::format("{} {} found nothing at shape {}\n", terminal.paint(Colour::green, "clean"), who, opinion.shape);
  std::string text = fmt::format("\n{} {}, shape {}\n\n", terminal.paint(Colour::red, "FAILED"), who, opinion.shape);
  if (opinion.result.findings.empty()) return text + opinion.result.message + "\n";
  text += report::findings_text(terminal, opinion.result.findings);
  return text + fmt::format("\n{}, {}\n", counted(opinion.result.findings.size(), "finding"),
                            counted(opinion.result.finding_occurrences, "occurrence"));
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

}  // namespace assay::cli
