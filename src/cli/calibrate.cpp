// SPDX-License-Identifier: MIT
// assay calibrate: how often the judgement cries wolf on this GPU, and how small a slowdown it finds. With --simulate
// the same of simulated runs, on any machine.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "cli/calibration_store.hpp"
#include "cli/command_line.hpp"
#include "cli/measuring.hpp"
#include "cli/simulation_table.hpp"
#include "judge/gate_json.hpp"
#include "measure/trials.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

void add_options(CommandLine& line, Options& options) {
  line.option("kernel", options.kernel, "a folder with a kernel.toml, or the file");
  add_device(line, options);
  add_configuration(line, options);
  add_measuring(line, options);
  line.option("--candidate", options.measure.candidate, "a [baseline.NAME] that takes the kernel's place");
  line.option("--pairs", options.measure.pairs, "comparisons of the kernel with itself", {1, 100000});
  line.option("--trials", options.measure.trials, "comparisons with each injected slowdown", {1, 100000});
  line.list("--slowdowns", options.measure.slowdowns, "fractions: 0.03 is 3 %", {0, 10});
  line.option("--stop-after", options.measure.stop_after_s, "seconds after which the rest is left for the next run",
              {0, 1e9});
  line.flag("--restart", options.measure.restart, "forget what an earlier run began");
  line.flag("--simulate", options.measure.simulate, "judge simulated runs instead; needs no kernel and no GPU");
  line.option("--runs", options.measure.runs, "simulated runs of each cell", {10, 10000000});
  add_seed(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

nlohmann::json trials_json(const std::vector<measure::Trial>& trials) {
  nlohmann::json list = nlohmann::json::array();
  for (const measure::Trial& trial : trials) list.push_back(measure::to_json(trial));
  return list;
}

// The trials of an earlier run that was stopped: one line each, in a file for what they depend on.
fs::path unfinished_file(const Bench& bench, const report::BenchCase& first, const Options& options) {
  Hasher hasher;
  measure::Contract contract = first.measured.contract;
  hasher.add(contract.hash()).add(contract.value("candidate.source")).add(contract.value("candidate.configuration"));
  hasher.add(contract.value("machine.gpu")).add(options.measure.candidate);
  hasher.add(fmt::format("{} {} {}", bench.request.sampling.plan.batches, bench.request.sampling.plan.most,
                         bench.request.sampling.plan.width));
  return bench.request.cache_folder / "calibrate" / (hasher.hex() + ".jsonl");
}

std::vector<measure::Trial> unfinished(const fs::path& file) {
  std::vector<measure::Trial> trials;
  const auto text = read_file(file);
  if (!text) return trials;
  for (const std::string_view line : split(*text, '\n')) {
    auto trial = measure::trial_from_json(nlohmann::json::parse(line, nullptr, false));
    if (trial) trials.push_back(std::move(*trial));  // the last line may be cut off
  }
  return trials;
}

Result<void> keep(const fs::path& file, const std::vector<measure::Trial>& trials) {
  std::string text;
  for (const measure::Trial& trial : trials) text += measure::to_json(trial).dump() + "\n";
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  return write_file_atomically(file, text);
}

std::string report_text(const measure::TrialReport& report, const judge::Calibration& calibration) {
  std::string text = fmt::format("  the same kernel on both sides: {} comparisons, {} false verdicts, {} undecided\n",
                                 calibration.trials, calibration.false_verdicts, calibration.undecided);
  text += fmt::format("  assay compare would have called {} of them FASTER or SLOWER\n", report.false_comparisons());
  const judge::SpreadPoint& point = report.calibration.spread.front();
  text += fmt::format("  processes of the same kernel differ by {:.2f} % (deviation, {} pairs of them)\n",
                      100 * point.deviation, point.processes);
  if (const auto spread = judge::process_spread(calibration))
    text += fmt::format("  by all lengths that were tried here: {:.2f} % of the time and {:.3f} us\n",
                        100 * spread->part, spread->constant_us);
  for (size_t i = 0; i < calibration.detections.size(); ++i) {
    const judge::Detection& detection = calibration.detections[i];
    text += fmt::format("  {:.1f} % slower (measured {:.2f} %): found in {} of {} (at least {:.1f} %)\n",
                        100 * detection.slowdown, 100 * report.measured_slowdowns[i], detection.found, detection.trials,
                        100 * detection.interval.low);
  }
  return text + fmt::format("  {}\n", judge::describe(calibration));
}

Result<ExitCode> calibrate(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  ASSAY_TRY(Bench bench, prepare_bench(spec, options));
  // Correct first: the kernel is measured once in the ordinary way before anything is concluded from its times.
  bench.request.shapes.resize(1);
  ASSAY_TRY(const auto cases,
            run_bench(bench, compare_options(options), recording, [](const auto&, auto) { return Result<void>(); }));
  if (!cases.front().measured.candidate().good())
    return Error{fmt::format("'{}' cannot serve: {}", spec.kernel.name, cases.front().measured.candidate().objection()),
                 Place{spec.file.string()}, "calibrate with a kernel that assay bench accepts", ExitCode::incorrect};
  measure::TrialRequest request;
  request.pairs = options.measure.pairs;
  request.trials = options.measure.trials;
  request.slowdowns = options.measure.slowdowns;
  request.compare = compare_options(options);
  const fs::path file = unfinished_file(bench, cases.front(), options);
  std::vector<measure::Trial> trials;
  if (!options.measure.restart) trials = unfinished(file);
  request.done = trials;
  Progress progress("calibrating", request.pairs + request.trials * request.slowdowns.size(), options.json);
  request.on_step = [&](const std::string& step) { progress.advance(step); };
  const auto start = std::chrono::steady_clock::now();
  request.on_trial = [&](const measure::Trial& trial) -> Result<bool> {
    trials.push_back(trial);
    ASSAY_CHECK(keep(file, trials));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    return options.measure.stop_after_s <= 0 || taken.count() < options.measure.stop_after_s;
  };
  ASSAY_TRY(const measure::TrialReport report, measure::run_trials(bench.request, request));
  judge::Calibration calibration = report.calibration;
  if (const auto before = stored_calibration(recording, bench.request.model))
    calibration.spread = judge::merged(calibration.spread, before->spread);
  nlohmann::json document = document_head("calibrate", spec, bench.request.configuration, options);
  document["gpu"] = std::string(bench.request.model.name);
  document["shape"] = bench.request.shapes.front().text();
  document["seed"] = options.seed;
  document["complete"] = report.complete;
  document["kernel_us"] = report.kernel_us;
  document["calibration"] = judge::to_json(calibration);
  document["false_comparisons"] = report.false_comparisons();
  document["same"] = trials_json(report.same);
  document["slower"] = nlohmann::json::array();
  for (const auto& each : report.slower) document["slower"].push_back(trials_json(each));
  document["measured_slowdowns"] = report.measured_slowdowns;
  if (report.complete) {
    ASSAY_CHECK(store_calibration(recording, bench.request.model, calibration));
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, bench.built);
  attempt.shape = bench.request.shapes.front().text();
  attempt.verdict = report.complete ? "calibrated" : "stopped";
  ASSAY_CHECK(recording.write(std::move(attempt), document));
  const ExitCode code = report.complete ? ExitCode::good : ExitCode::inconclusive;
  if (options.json) {
    print_document(document);
    return code;
  }
  fmt::print("{} on {}, {}: {:.2f} us\n{}", spec.kernel.name, bench.request.model.name,
             bench.request.shapes.front().text(), report.kernel_us, report_text(report, calibration));
  if (!report.complete) fmt::print("  stopped: the same command goes on where it was\n");
  return code;
}

Result<ExitCode> run(const Options& options) {
  if (options.measure.simulate) return simulate_table(options);
  if (options.kernel.empty())
    return Error{"there is no kernel to calibrate with", {}, "assay calibrate KERNEL, or assay calibrate --simulate"};
  if (const auto gpu = measured_device(options, "calibrate"); !gpu) return gpu.error();
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(options.kernel));
  ASSAY_TRY(Recording recording, Recording::open(options, ledger::Kind::calibrate, spec));
  return recording.close(calibrate(spec, options, recording));
}

}  // namespace

Command calibrate_command() {
  return {"calibrate", "how often the gate cries wolf on this GPU, and how small a slowdown it finds", add_options,
          run};
}

}  // namespace assay::cli
