// SPDX-License-Identifier: MIT
// assay run: doctor, build, sanitize, check, in this order, stopping where the rest has become pointless.
#include <chrono>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/text.hpp"
#include "build/environment.hpp"
#include "check/checker.hpp"
#include "check/sanitizer.hpp"
#include "cli/build_text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/gpu_facts.hpp"
#include "cli/recording.hpp"
#include "cli/verdict_text.hpp"
#include "device/open/open_device.hpp"
#include "report/documents.hpp"
#include "report/terminal.hpp"
#include "spec/shape.hpp"

namespace assay::cli {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using report::Colour;

void add_options(CommandLine& line, Options& options) {
  add_kernel(line, options);
  add_device(line, options);
  add_configuration(line, options);
  line.option("--fuzz", options.fuzz, "random shapes after the specified ones");
  line.option("--report", options.report, "where the JSON report goes");
  add_seed(line, options);
  add_limits(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

struct Step {
  std::string name;
  std::string verdict;  // "good", "failed", "skipped"
  std::string summary;
  double seconds = 0;
};

// Everything that the steps find; what is printed and what is written come from it.
struct Journey {
  const Options& options;
  Recording& recording;
  spec::KernelSpec spec;
  spec::Configuration configuration;
  std::vector<Step> steps;
  json document;
  ExitCode exit_code = ExitCode::good;

  bool failed() const { return exit_code != ExitCode::good; }
  void say(const std::string& text) const {
    if (!options.json) fmt::print("{}\n", text);
  }
  void finish_step(std::string name, std::string verdict, std::string summary, Clock::time_point start) {
    steps.push_back({std::move(name), std::move(verdict), std::move(summary),
                     std::chrono::duration<double>(Clock::now() - start).count()});
  }
};

void doctor(Journey& journey) {
  const auto start = Clock::now();
  std::vector<build::Fact> facts = build::environment_facts(build::ArtifactCache::default_folder());
  const std::vector<build::Fact> gpu = gpu_facts({.torch = false, .measure = false});
  facts.insert(facts.end(), gpu.begin(), gpu.end());
  journey.document["doctor"] = report::doctor_document(facts);
  std::string missing;
  for (const build::Fact& fact : facts) {
    if (fact.status == build::FactStatus::missing) missing += (missing.empty() ? "" : ", ") + fact.name;
  }
  journey.finish_step(
      "doctor", "good",
      missing.empty() ? "everything is here" : "not here: " + missing + " (assay doctor tells how to get them)", start);
}

Result<void> build(Journey& journey) {
  const auto start = Clock::now();
  ASSAY_TRY(const std::vector<spec::Configuration> configurations, spec::configurations(journey.spec));
  build::BuildOptions options;
  ASSAY_TRY(const std::string target, device_target(journey.spec, journey.options));
  options.targets = {target};  // what this device runs; assay build compiles for all
  options.quiet = journey.options.json;
  ASSAY_TRY(const build::BuildReport report, build::build(journey.spec, configurations, options));
  ASSAY_TRY(const std::vector<report::ConfigurationFits> fits,
            configuration_fits(journey.spec, configurations, report));
  json& document = journey.document["build"] = report::build_document(journey.spec, report, fits);
  const bool failed = report.count(build::BuildStatus::failed) > 0;
  if (failed) journey.exit_code = ExitCode::incorrect;
  ASSAY_CHECK(journey.recording.write(build_attempt(journey.recording, report, journey.exit_code), document));
  journey.say(build_text(journey.spec, report, fits));
  using build::BuildStatus;
  const size_t usable =
      report.count(BuildStatus::built) + report.count(BuildStatus::cached) + report.count(BuildStatus::carried);
  std::string summary = fmt::format("{} of {} artifacts", usable, report.results.size());
  if (report.count(BuildStatus::skipped) > 0)
    summary += fmt::format(", {} skipped: {}", report.count(BuildStatus::skipped),
                           report.no_compiler ? report.no_compiler->message : "");
  journey.finish_step("build", failed ? "failed" : "good", summary, start);
  return {};
}

Result<void> sanitize(Journey& journey, const Runnable& runnable, const Options& where) {
  const auto start = Clock::now();
  check::SanitizeOptions options;
  options.seed = journey.options.seed;
  options.quiet = journey.options.json;
  const bool on_twin = where.device != journey.options.device;
  auto sanitized = check::sanitize(journey.spec, journey.configuration, runnable.worker, options);
  if (!sanitized && !on_twin) return std::move(sanitized).error();
  const bool refused =
      !sanitized || (sanitized->failure() != nullptr && sanitized->failure()->outcome == check::Outcome::not_launched);
  if (on_twin && refused) {
    const std::string reason = sanitized ? sanitized->failure()->message : sanitized.error().message;
    journey.finish_step("sanitize", "skipped", fmt::format("{} cannot run it: {}", where.device, reason), start);
    return {};
  }
  const check::SanitizeReport& report = *sanitized;
  json& document = journey.document["sanitize"] = report::sanitize_document(report);
  ASSAY_CHECK(journey.recording.write(sanitize_attempt(journey.recording, runnable, report, report.clean()), document));
  journey.say(sanitize_text(journey.spec, report, where));
  const check::CaseResult* failure = report.failure();
  if (failure != nullptr) journey.exit_code = ExitCode::incorrect;
  journey.finish_step(
      "sanitize", failure != nullptr ? "failed" : "good",
      failure != nullptr ? failure->message : "no bad memory access in " + counted(report.results.size(), "shape"),
      start);
  return {};
}

Result<void> check(Journey& journey, const Runnable& runnable) {
  const auto start = Clock::now();
  check::CheckOptions options;
  options.cases.seed = journey.options.seed;
  options.cases.fuzz_cases = journey.options.fuzz;
  options.quiet = journey.options.json;
  ASSAY_TRY(const check::CheckReport report,
            check::check(journey.spec, journey.configuration, runnable.worker, options));
  json& document = journey.document["check"] = report::check_document(report);
  ASSAY_CHECK(journey.recording.write(check_attempt(journey.recording, runnable, report), document));
  journey.say(check_text(journey.spec, journey.configuration, report, journey.options));
  if (!report.passed()) journey.exit_code = ExitCode::incorrect;
  journey.finish_step("check", report.passed() ? "good" : "failed",
                      report.passed() ? "agrees with the float64 reference in " + counted(report.results.size(), "case")
                                      : report.failure->message,
                      start);
  return {};
}

// On a GPU the memory checks are those of the virtual GPU that is most like it. What it cannot run, as instructions
// that it does not know, is no verdict on the kernel.
Result<void> sanitize_on_twin(Journey& journey, const Runnable& runnable) {
  if (device::is_virtual(runnable.worker.setup.device)) return sanitize(journey, runnable, journey.options);
  const auto start = Clock::now();
  const auto skip = [&](const std::string& reason) {
    journey.finish_step("sanitize", "skipped", reason, start);
    return Result<void>();
  };
  ASSAY_TRY(const std::unique_ptr<device::Device> device, device::open_device(runnable.worker.setup.device));
  Options options = journey.options;
  options.device = device::virtual_twin(*device);
  const auto twin = make_runnable(journey.spec, journey.configuration, options);
  if (!twin) return skip(twin.error().message);
  return sanitize(journey, *twin, options);
}

// The steps in order. A failure makes the rest pointless, and the table says so.
Result<void> travel(Journey& journey) {
  doctor(journey);
  ASSAY_CHECK(build(journey));
  if (!journey.failed()) {
    auto runnable = make_runnable(journey.spec, journey.configuration, journey.options);
    if (!runnable) return std::move(runnable).error();
    ASSAY_CHECK(sanitize_on_twin(journey, *runnable));
    if (!journey.failed()) ASSAY_CHECK(check(journey, *runnable));
  }
  for (const char* step : {"sanitize", "check"}) {
    const bool done =
        std::any_of(journey.steps.begin(), journey.steps.end(), [&](const Step& s) { return s.name == step; });
    if (!done) journey.steps.push_back({step, "skipped", "an earlier step failed", 0});
  }
  return {};
}

std::string summary_text(const Journey& journey) {
  const report::Terminal terminal;
  report::Table table({"step", "verdict", "seconds", "summary"});
  for (const Step& step : journey.steps) {
    const Colour colour = step.verdict == "good"     ? Colour::green
                          : step.verdict == "failed" ? Colour::red
                                                     : Colour::yellow;
    table.add({step.name, {step.verdict, colour}, fmt::format("{:.1f}", step.seconds), step.summary});
  }
  std::string text = fmt::format("{} [{}] on {}\n", terminal.paint(Colour::bold, journey.spec.kernel.name),
                                 journey.configuration.id(), device_name(journey.options));
  text += table.render(terminal);
  text += journey.failed() ? terminal.paint(Colour::red, "verdict: FAILED\n")
                           : terminal.paint(Colour::green, "verdict: good\n");
  return text + fmt::format("report: {}\n", journey.options.report);
}

// The steps have attempts of their own; this one sums them up.
Result<void> record_journey(Journey& journey) {
  ledger::Attempt attempt = journey.recording.draft();
  attempt.configuration = journey.configuration.id();
  attempt.verdict = journey.failed() ? "failed" : "good";
  attempt.exit_code = static_cast<int>(journey.exit_code);
  if (journey.document.contains("check")) attempt.correct = !journey.failed();
  json steps = {{"steps", journey.document["steps"]}};
  for (const Step& step : journey.steps) {
    attempt.duration_s += step.seconds;
    const auto document = journey.document.find(step.name);
    if (document != journey.document.end() && document->contains("attempt")) {
      steps["attempts"][step.name] = (*document)["attempt"];
    }
  }
  attempt.time_us = ledger::now_us() - static_cast<int64_t>(attempt.duration_s * 1e6);
  ASSAY_CHECK(journey.recording.write(std::move(attempt), steps));
  if (steps.contains("attempt")) journey.document["attempt"] = steps["attempt"];
  return {};
}

Result<ExitCode> go(spec::KernelSpec spec, const Options& options, Recording& recording) {
  ASSAY_TRY(spec::Configuration configuration, chosen_configuration(spec, options));
  Journey journey{options, recording, std::move(spec), std::move(configuration), {}, {}, ExitCode::good};
  journey.document = document_head("run", journey.spec, journey.configuration, options);
  ASSAY_CHECK(travel(journey));
  json steps = json::array();
  for (const Step& step : journey.steps) {
    steps.push_back(
        {{"name", step.name}, {"verdict", step.verdict}, {"summary", step.summary}, {"host_seconds", step.seconds}});
  }
  journey.document["steps"] = std::move(steps);
  journey.document["verdict"] = journey.failed() ? "failed" : "good";
  ASSAY_CHECK(record_journey(journey));
  ASSAY_CHECK(write_file_atomically(options.report,
                                    journey.document.dump(2, ' ', false, json::error_handler_t::replace) + "\n"));
  if (options.json) {
    print_document(journey.document);
  } else {
    fmt::print("{}", summary_text(journey));
  }
  return journey.exit_code;
}

Result<ExitCode> run(const Options& given) {
  ASSAY_TRY(spec::KernelSpec spec, spec::load(given.kernel));
  const Options options = on_suitable_device(spec, given);
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::run, spec));
  return recording.close(go(std::move(spec), options, recording));
}

}  // namespace

Command run_command() {
  return {"run", "doctor, build, sanitize, check: one verdict and a report", add_options, run};
}

}  // namespace assay::cli
