// SPDX-License-Identifier: MIT
#include "assay/run.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/open/open_device.hpp"
#include "spec/goal.hpp"
#include "work/bench_details.hpp"
#include "work/build_details.hpp"
#include "work/check_details.hpp"
#include "work/diagnose_details.hpp"
#include "work/doctor_document.hpp"
#include "work/document.hpp"
#include "work/goal.hpp"
#include "work/kernel.hpp"
#include "work/page_file.hpp"
#include "work/profile_details.hpp"
#include "work/recording.hpp"
#include "work/run_details.hpp"
#include "work/sanitize_details.hpp"
#include "work/stop_saving.hpp"

namespace assay::work {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using OnStep = std::function<void(const RunReport&, const RunStep&)>;

// The steps in order. Each asks what the command of its name asks; a failure makes the rest pointless.
class Journey {
 public:
  Journey(const RunRequest& request, const Context& context, const spec::KernelSpec& spec, const OnStep& on_step,
          RecordOptions record, RunReport& report, UnfinishedWork& unfinished)
      : request_(request),
        context_(context),
        spec_(spec),
        on_step_(on_step),
        record_(std::move(record)),
        report_(report),
        unfinished_(unfinished) {}

  Result<void> travel() {
    ASSAY_CHECK(look_around());
    ASSAY_CHECK(build());
    if (!failed()) ASSAY_CHECK(sanitize());
    if (!failed()) ASSAY_CHECK(check());
    if (measures() && !failed()) ASSAY_CHECK(bench());
    if (measures() && !failed() && far_too_slow()) ASSAY_CHECK(diagnose());
    if (measures() && !failed()) ASSAY_CHECK(profile());
    if (!failed()) ASSAY_CHECK(judge_speed());
    std::vector<std::string> planned = {"sanitize", "check"};
    if (measures()) planned.insert(planned.end(), {"bench", "profile"});
    for (const std::string& step : planned) {
      if (!done(step)) report_.steps.push_back({step, "skipped", "an earlier step failed", 0});
    }
    name_gates();
    return {};
  }

 private:
  bool measures() const { return request_.measure && !device::is_virtual(report_.device); }
  bool failed() const { return report_.exit_code != ExitCode::good; }
  bool done(std::string_view name) const {
    return std::any_of(report_.steps.begin(), report_.steps.end(), [&](const RunStep& s) { return s.name == name; });
  }
  void begin() { start_ = Clock::now(); }
  void finish(std::string name, std::string verdict, std::string summary) {
    report_.steps.push_back({std::move(name), std::move(verdict), std::move(summary),
                             std::chrono::duration<double>(Clock::now() - start_).count()});
    if (on_step_) on_step_(report_, report_.steps.back());
  }

  Result<void> look_around() {
    begin();
    DoctorRequest request;
    request.torch = false;
    request.measure = false;
    ASSAY_TRY(report_.doctor, work::doctor(request, context_));
    std::string missing;
    for (const Fact& fact : report_.doctor.facts) {
      if (fact.status == "missing") missing += (missing.empty() ? "" : ", ") + fact.name;
    }
    finish("doctor", "good",
           missing.empty() ? "everything is here" : "not here: " + missing + " (assay doctor says how)");
    return {};
  }

  // For what this device runs; assay build compiles for all.
  Result<void> build() {
    begin();
    BuildRequest request;
    request.kernel = request_.choice.kernel;
    request.device = report_.device;
    request.record = record_;
    ASSAY_TRY(report_.build, work::build(request, context_));
    report_.exit_code = report_.build->exit_code;
    const build::BuildReport& built = report_.build->details->report;
    using build::BuildStatus;
    const size_t usable =
        built.count(BuildStatus::built) + built.count(BuildStatus::cached) + built.count(BuildStatus::prebuilt);
    std::string summary = fmt::format("{} of {} artifacts", usable, built.results.size());
    if (built.count(BuildStatus::skipped) > 0)
      summary += fmt::format(", {} skipped: {}", built.count(BuildStatus::skipped),
                             built.no_compiler ? built.no_compiler->message : "");
    finish("build", failed() ? "failed" : "good", summary);
    return {};
  }

  // On a GPU the checks are those of the virtual GPU that is most like it. What that one cannot run, as instructions
  // that it does not know, is no verdict on the kernel.
  Result<void> sanitize() {
    begin();
    SanitizeRequest request;
    request.choice = {request_.choice.kernel, request_.choice.configuration, report_.device};
    const bool on_twin = !device::is_virtual(report_.device);
    if (on_twin) {
      ASSAY_TRY(const std::unique_ptr<device::Device> gpu, device::open_device(report_.device));
      request.choice.device = device::virtual_twin(*gpu);
    }
    request.seed = request_.seed;
    request.limits = request_.limits;
    request.record = record_;
    auto sanitized = work::sanitize_as_part(request, context_, &unfinished_);
    if (!sanitized) {
      if (!on_twin || sanitized.error().exit_code == kInterrupted) return std::move(sanitized).error();
      finish("sanitize", "skipped",
             fmt::format("{} cannot run it: {}", request.choice.device, sanitized.error().message));
      return {};
    }
    report_.sanitize = std::move(*sanitized);
    report_.exit_code = report_.sanitize->exit_code;
    const check::CaseResult* failure = report_.sanitize->details->report.failure();
    finish(
        "sanitize", failure != nullptr ? "failed" : "good",
        failure != nullptr ? failure->message : "no finding in " + counted(report_.sanitize->shapes.size(), "shape"));
    return {};
  }

  Result<void> check() {
    begin();
    CheckRequest request;
    request.choice = {request_.choice.kernel, request_.choice.configuration, report_.device};
    request.fuzz = request_.fuzz;
    request.seed = request_.seed;
    request.limits = request_.limits;
    request.record = record_;
    ASSAY_TRY(const std::optional<spec::Goal> goal, spec::goal_of(spec_));
    if (measures() && goal && goal->repetitions) request.repetitions = static_cast<size_t>(*goal->repetitions);
    ASSAY_TRY(report_.check, work::check_as_part(request, context_, &unfinished_));
    report_.exit_code = report_.check->exit_code;
    const ConfigurationCheck& checked = report_.check->configurations.front();
    finish("check", failed() ? "failed" : "good",
           failed() ? checked.details->report.failure->message
                    : "agrees with the float64 reference in " + counted(checked.cases.size(), "case"));
    return {};
  }

  // Those that the goal names, the yardstick first; without a goal the first of the specification.
  Result<std::vector<std::string>> baselines() const {
    std::vector<std::string> names;
    ASSAY_TRY(const std::optional<spec::Goal> goal, spec::goal_of(spec_));
    for (const spec::SpeedupGoal& each : goal ? goal->speedups : std::vector<spec::SpeedupGoal>()) {
      if (!each.baseline.empty() && std::ranges::find(names, each.baseline) == names.end())
        names.push_back(each.baseline);
    }
    if (names.empty() && !spec_.baselines.empty()) names.push_back(spec_.baselines.front().name);
    return names;
  }

  Result<void> bench() {
    begin();
    BenchRequest request;
    request.choice = {request_.choice.kernel, request_.choice.configuration, report_.device};
    ASSAY_TRY(request.baselines, baselines());
    const std::string yardstick = request.baselines.empty() ? "" : request.baselines.front();
    if (!request_.go_on) request.stop_below = kStopBelow;
    request.measuring = request_.measuring;
    request.seed = request_.seed;
    request.record = record_;
    ASSAY_TRY(report_.bench, work::bench_as_part(request, context_, &unfinished_));
    report_.exit_code = report_.bench->exit_code;
    const KernelBench& measured = report_.bench->kernels.front();
    std::string rejected;
    for (const BenchCase& each : measured.cases) {
      if (rejected.empty() && !each.contenders.front().good) rejected = each.contenders.front().objection;
      const judge::Comparison* comparison = comparison_with(each.details->judged, yardstick);
      if (comparison == nullptr) continue;
      if (!slowest_ || 1 / comparison->ratio < *slowest_) {
        slowest_ = 1 / comparison->ratio;
        slowest_shape_ = each.shape;
      }
      slower_ = slower_ || comparison->verdict == judge::Verdict::slower;
    }
    yardstick_ = yardstick;
    const std::string speed = slowest_ ? fmt::format(", at least {:.2f}x of {}", *slowest_, yardstick) : "";
    finish("bench", failed() ? "failed" : "good",
           failed() ? rejected
                    : counted(measured.cases.size(), "shape") + " measured" + speed +
                          (measured.shapes_left > 0 ? fmt::format(", {} left", measured.shapes_left) : ""));
    return {};
  }

  bool far_too_slow() const { return slowest_ && *slowest_ < kStopBelow && !request_.go_on; }

  // The stop rule: what is that slow has a reason that no tuning mends. Diagnosed at the shape that is slowest.
  Result<void> diagnose() {
    begin();
    report_.stop = RunStop{yardstick_, slowest_shape_, *slowest_, saved_shapes(report_.bench->kernels.front())};
    report_.stop->saved.steps = {"profile"};
    DiagnoseRequest request;
    request.choice = {request_.choice.kernel, request_.choice.configuration, ""};
    ASSAY_TRY(request.choice.device, virtual_device_for(spec_, ""));
    request.shape = slowest_shape_;
    request.seed = request_.seed;
    request.limits = request_.limits;
    request.record = record_;
    report_.exit_code = ExitCode::regression;
    auto diagnosed = work::diagnose(request, context_);
    if (!diagnosed) {
      if (diagnosed.error().exit_code == kInterrupted) return std::move(diagnosed).error();
      finish("diagnose", "failed",
             fmt::format("{:.2f}x of the baseline: stop. {}", *slowest_, diagnosed.error().message));
      return {};
    }
    report_.diagnosis = std::move(*diagnosed);
    const std::string first =
        report_.diagnosis->findings.empty() ? "nothing stands out" : report_.diagnosis->findings.front().title;
    finish("diagnose", "failed",
           fmt::format("{:.2f}x of the baseline: stop. First finding: {}; {} (--go-on goes on)", *slowest_, first,
                       saving_text(report_.stop->saved)));
    return {};
  }

  // Counters of the virtual GPU that is most like this one, and Nsight Compute's where it is.
  Result<void> profile() {
    begin();
    ProfileRequest request;
    request.choice = {request_.choice.kernel, request_.choice.configuration, ""};
    ASSAY_TRY(request.choice.device, virtual_device_for(spec_, ""));
    request.seed = request_.seed;
    request.limits = request_.limits;
    request.with_ncu = true;
    request.record = record_;
    auto profiled = work::profile(request, context_);
    if (!profiled) {
      if (profiled.error().exit_code == kInterrupted) return std::move(profiled).error();
      finish("profile", "skipped", profiled.error().message);
      return {};
    }
    report_.profile = std::move(*profiled);
    const profiling::Profile& details = report_.profile->details->profile;
    finish("profile", "good",
           details.measured ? "counted, and measured by Nsight Compute"
                            : fmt::format("counted; not measured: {}",
                                          details.not_measured ? details.not_measured->message : "ncu was not asked"));
    return {};
  }

  // The goal by all that is known, and whether speed stops the journey.
  Result<void> judge_speed() {
    GoalEvidence evidence;
    if (report_.bench) evidence = evidence_of(report_.bench->kernels.front().cases);
    if (report_.profile) {
      for (const profiling::Figure& figure : report_.profile->details->profile.figures) {
        if (figure.name == "SM busy" && figure.value) evidence.sm_busy = *figure.value / 100;
        if (figure.name.starts_with("occupancy") && figure.value) evidence.occupancy = *figure.value / 100;
      }
    }
    if (report_.check) {
      const check::CheckReport& checked = report_.check->configurations.front().details->report;
      if (checked.repetitions > 0) evidence.repetitions = static_cast<int64_t>(checked.repetitions);
    }
    ASSAY_TRY(report_.goal, judge_goal(spec_, evidence));
    const bool short_of_goal =
        std::ranges::any_of(report_.goal, [](const GoalLine& line) { return line.state == "not met"; });
    if (slower_ || short_of_goal) report_.exit_code = ExitCode::regression;
    return {};
  }

  // Each gate passes, or is where the journey stopped with what to do next.
  void name_gates() {
    const std::string& kernel = request_.choice.kernel;
    bool stopped = false;
    const auto add = [&](const char* name, bool known, bool passed, const std::string& next) {
      const std::string state = stopped ? "not reached" : !known ? "not judged" : passed ? "passed" : "stopped";
      report_.gates.push_back({name, state, state == "stopped" || state == "not judged" ? next : ""});
      stopped = stopped || (known && !passed);
    };
    add("builds", report_.build.has_value(), report_.build && report_.build->exit_code == ExitCode::good,
        "assay build " + kernel + " shows the compiler's words");
    add("sound", report_.sanitize.has_value(), report_.sanitize && report_.sanitize->clean(),
        "assay sanitize " + kernel + " names the line");
    add("correct", report_.check.has_value(), report_.check && report_.check->correct(),
        "assay check " + kernel + " names the smallest shape that fails");
    add("at least 0.5x", slowest_.has_value(), slowest_ && *slowest_ >= kStopBelow,
        slowest_ ? "stop and diagnose before changing anything: assay diagnose " + kernel
                 : "needs a GPU and a baseline");
    add("at least 1x", slowest_.has_value(), !slower_,
        slowest_ ? "assay profile " + kernel + " shows which lines cost most" : "needs a GPU and a baseline");
    const bool judged =
        std::ranges::any_of(report_.goal, [](const GoalLine& line) { return line.state != "not known"; });
    add("at the goal", judged, goals_met(report_.goal),
        judged ? "the lines of the goal that are not met" : "needs a [goal] in the specification, and a GPU");
  }

  const RunRequest& request_;
  const Context& context_;
  const spec::KernelSpec& spec_;
  const OnStep& on_step_;
  RecordOptions record_;
  RunReport& report_;
  std::optional<double> slowest_;  // speed-up over the yardstick, at the worst shape
  std::string slowest_shape_;
  std::string yardstick_;
  bool slower_ = false;  // than the yardstick at some shape, beyond noise
  Clock::time_point start_;
  UnfinishedWork& unfinished_;  // its steps keep what they have done until the end
};

json document_of(const RunReport& report, const spec::KernelSpec& spec) {
  json document = document_head("run", spec, report.configuration, report.device);
  document["doctor"] = doctor_document(report.doctor);
  if (report.build) document["build"] = report.build->details->document;
  if (report.sanitize) document["sanitize"] = report.sanitize->details->document;
  if (report.check) document["check"] = report.check->configurations.front().details->document;
  if (report.bench) document["bench"] = document_of(report.bench->kernels.front());
  if (report.stop)
    document["stopped"] = stop_document(report.stop->baseline, report.stop->shape, report.stop->speed,
                                        report.diagnosis ? &*report.diagnosis : nullptr, report.stop->saved);
  if (report.diagnosis) document["diagnosis"] = report.diagnosis->details->document;
  if (report.profile) document["profile"] = report.profile->details->document;
  document["gates"] = json::array();
  for (const RunGate& gate : report.gates)
    document["gates"].push_back({{"name", gate.name}, {"state", gate.state}, {"next", gate.next}});
  if (!report.goal.empty()) document["goal"] = goal_document(report.goal);
  document["steps"] = json::array();
  for (const RunStep& step : report.steps)
    document["steps"].push_back(
        {{"name", step.name}, {"verdict", step.verdict}, {"summary", step.summary}, {"host_seconds", step.seconds}});
  document["verdict"] = report.verdict;
  document["exit_code"] = static_cast<int>(report.exit_code);
  return document;
}

// The steps have attempts of their own; this one sums them up.
Result<void> record_run(const RunReport& report, Recording& recording, json& document) {
  ledger::Attempt attempt = recording.draft();
  attempt.configuration = report.configuration;
  attempt.verdict = report.verdict;
  attempt.exit_code = static_cast<int>(report.exit_code);
  if (report.check) attempt.correct = report.check->correct();
  json steps = {{"steps", document["steps"]}};
  if (report.stop) steps["stopped"] = document["stopped"];
  for (const RunStep& step : report.steps) {
    attempt.duration_s += step.seconds;
    const auto found = document.find(step.name);
    if (found != document.end() && found->contains("attempt")) steps["attempts"][step.name] = (*found)["attempt"];
  }
  attempt.time_us = ledger::now_us() - static_cast<int64_t>(attempt.duration_s * 1e6);
  ASSAY_CHECK(recording.write(std::move(attempt), steps));
  if (steps.contains("attempt")) document["attempt"] = steps["attempt"];
  return {};
}

Result<RunReport> go(const RunRequest& request, const Context& context, const spec::KernelSpec& spec,
                     const std::string& device, Recording& recording, const OnStep& on_step) {
  RunReport report;
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, request.choice.configuration));
  report.kernel = spec.kernel.name;
  report.configuration = configuration.id();
  report.device = device;
  RecordOptions record = request.record;
  if (recording.ledger() == nullptr) record.ledger = "none";  // one warning is enough
  UnfinishedWork unfinished;
  ASSAY_CHECK(Journey(request, context, spec, on_step, std::move(record), report, unfinished).travel());
  report.verdict = report.exit_code == ExitCode::good ? "good" : "failed";
  const auto details = std::make_shared<RunDetails>();
  details->document = document_of(report, spec);
  ASSAY_CHECK(record_run(report, recording, details->document));
  ASSAY_CHECK(finish(recording.ledger(), unfinished));
  if (recording.ledger() != nullptr && details->document.contains("attempt")) {
    report.page = write_page(*recording.ledger(), details->document["attempt"].get<int64_t>(), context).value_or("");
    if (!report.page.empty()) details->document["page"] = report.page;
  }
  report.details = details;
  return report;
}

}  // namespace

Result<RunReport> run(const RunRequest& request, const Context& context, const OnStep& on_step) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  const std::string device = device_for(spec, request.choice.device);
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::run, &spec, request.choice.configuration, device, request.seed}));
  return recording.close(go(request, context, spec, device, recording, on_step));
}

std::string to_json(const RunReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
