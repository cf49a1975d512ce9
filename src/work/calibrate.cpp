// SPDX-License-Identifier: MIT
#include "assay/calibrate.hpp"

#include <chrono>
#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "judge/gate_json.hpp"
#include "work/calibrate_details.hpp"
#include "work/calibration_store.hpp"
#include "work/document.hpp"
#include "work/measuring.hpp"
#include "work/resumption.hpp"

namespace assay::work {
namespace {

nlohmann::json trials_json(const std::vector<measure::Trial>& trials) {
  nlohmann::json list = nlohmann::json::array();
  for (const measure::Trial& trial : trials) list.push_back(measure::to_json(trial));
  return list;
}

nlohmann::json trial_document(const CalibrateDetails& details) {
  const measure::TrialReport& report = details.trials;
  nlohmann::json document = {{"complete", report.complete},
                             {"kernel_us", report.kernel_us},
                             {"calibration", judge::to_json(details.calibration)},
                             {"false_comparisons", report.false_comparisons()},
                             {"same", trials_json(report.same)},
                             {"slower", nlohmann::json::array()},
                             {"measured_slowdowns", report.measured_slowdowns}};
  for (const auto& trials : report.slower) document["slower"].push_back(trials_json(trials));
  return document;
}

// What the trials depend on, however many of them are asked for: a longer calibration takes what a shorter one began.
std::string work_key(const Bench& bench, const measure::Contract& contract, const std::string& candidate) {
  Hasher hasher;
  hasher.add("calibrate").add(contract.hash()).add(contract.value("candidate.source"));
  hasher.add(contract.value("candidate.configuration")).add(contract.value("machine.gpu")).add(candidate);
  hasher.add(fmt::format("{} {} {}", bench.request.sampling.plan.batches, bench.request.sampling.plan.most,
                         bench.request.sampling.plan.width));
  return hasher.hex();
}

// In the order in which they were made.
std::vector<measure::Trial> trials_of(const Resumption& resumption) {
  std::vector<measure::Trial> trials;
  for (const auto& [piece, payload] : resumption.pieces()) {
    auto trial = measure::trial_from_json(nlohmann::json::parse(payload, nullptr, false));
    if (trial) trials.push_back(std::move(*trial));
  }
  return trials;
}

// The kernel is measured once in the ordinary way before anything is concluded from its times.
Result<measure::Contract> check_candidate(const spec::KernelSpec& spec, Bench& bench, uint64_t seed,
                                          Recording& recording) {
  std::string objection;
  measure::Contract contract;
  const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t>) {
    contract = measured.measured.contract;
    if (!measured.measured.candidate().good()) objection = measured.measured.candidate().objection();
    return Result<void>();
  };
  ASSAY_CHECK(run_bench(bench, compare_options(seed), recording, on_case));
  if (objection.empty()) return contract;
  return Error{fmt::format("'{}' cannot serve: {}", spec.kernel.name, objection), Place{spec.file.string()},
               "calibrate with a kernel that assay bench accepts", ExitCode::incorrect};
}

Result<CalibrateReport> calibrate_one(const spec::KernelSpec& spec, const CalibrateRequest& request,
                                      const std::string& device, const Context& context, Recording& recording) {
  ASSAY_TRY(Bench bench,
            prepare_bench(
                spec, {request.choice.configuration, device, {}, request.candidate, request.measuring, request.seed},
                context));
  bench.request.shapes.resize(1);
  ASSAY_TRY(const measure::Contract contract, check_candidate(spec, bench, request.seed, recording));
  measure::TrialRequest trials;
  trials.pairs = request.pairs;
  trials.trials = request.trials;
  trials.slowdowns = request.slowdowns;
  trials.compare = compare_options(request.seed);
  const std::string work = work_key(bench, contract, request.candidate);
  if (request.restart) ASSAY_CHECK(finish(recording.ledger(), {work}));
  ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), work));
  trials.done = trials_of(resumption);
  size_t count = resumption.size();
  if (!trials.done.empty() && context.listener != nullptr)
    context.listener->note(
        fmt::format("{} were made before the interruption", counted(trials.done.size(), "comparison")));
  const auto start = std::chrono::steady_clock::now();
  const auto details = std::make_shared<CalibrateDetails>();
  {
    Progress progress(context, "calibrating", trials.pairs + trials.trials * trials.slowdowns.size());
    trials.on_step = [&](const std::string& step) { progress.advance(step); };
    trials.on_trial = [&](const measure::Trial& trial) -> Result<bool> {
      ASSAY_CHECK(resumption.remember(fmt::format("{:08}", count++), measure::to_json(trial).dump()));
      ASSAY_CHECK(resumption.flush());
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      return request.stop_after_s <= 0 || taken.count() < request.stop_after_s;
    };
    ASSAY_TRY(details->trials, measure::run_trials(bench.request, trials));
  }
  details->calibration = details->trials.calibration;
  judge::Calibration& calibration = details->calibration;
  if (const auto before = stored_calibration(recording, bench.request.model))
    calibration.spread = judge::merged(calibration.spread, before->spread);
  CalibrateReport report;
  report.kernel = spec.kernel.name;
  report.configuration = bench.request.configuration.id();
  report.device = device;
  report.gpu = bench.request.model.name;
  report.shape = bench.request.shapes.front().text();
  report.kernel_us = details->trials.kernel_us;
  report.comparisons = calibration.trials;
  report.false_verdicts = calibration.false_verdicts;
  report.smallest_detected = calibration.smallest_detected;
  details->document = document_head("calibrate", spec, report.configuration, device);
  details->document.update(
      {{"gpu", report.gpu}, {"shape", report.shape}, {"seed", request.seed}, {"resumed", trials.done.size()}});
  details->document.update(trial_document(*details));
  report.complete = details->trials.complete;
  report.exit_code = report.complete ? ExitCode::good : ExitCode::inconclusive;
  if (report.complete) {
    ASSAY_CHECK(store_calibration(recording, bench.request.model, calibration));
    ASSAY_CHECK(resumption.finish());
  }
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, bench.built);
  attempt.shape = report.shape;
  attempt.verdict = report.complete ? "calibrated" : "stopped";
  ASSAY_CHECK(recording.write(std::move(attempt), details->document));
  report.details = details;
  return report;
}

}  // namespace

Result<CalibrateReport> calibrate(const CalibrateRequest& request, const Context& context) {
  ASSAY_TRY(const MeasuredDevice device, measured_device(request.choice.device, "calibrate"));
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::calibrate, &spec, request.choice.configuration, device.name, request.seed}));
  return recording.close(calibrate_one(spec, request, device.name, context, recording));
}

std::string to_json(const CalibrateReport& report) {
  return document_text(report.details->document);
}

}  // namespace assay::work
