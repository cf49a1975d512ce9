// SPDX-License-Identifier: MIT
// assay calibrate: how often the judgement cries wolf on this GPU, and how small a slowdown it finds.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/progress.hpp"
#include "cli/calibration_store.hpp"
#include "cli/command_line.hpp"
#include "cli/measuring.hpp"
#include "judge/gate_json.hpp"
#include "measure/trials.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  add_kernel(line, options);
  add_device(line, options);
  add_configuration(line, options);
  add_measuring(line, options);
  line.option("--candidate", options.measure.candidate, "a [baseline.NAME] that takes the kernel's place");
  line.option("--pairs", options.measure.pairs, "comparisons of the kernel with itself", {1, 100000});
  line.option("--trials", options.measure.trials, "comparisons with each injected slowdown", {1, 100000});
  line.list("--slowdowns", options.measure.slowdowns, "fractions: 0.03 is 3 %", {0, 10});
  add_seed(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

nlohmann::json trials_json(const std::vector<measure::Trial>& trials) {
  nlohmann::json list = nlohmann::json::array();
  for (const measure::Trial& trial : trials)
    list.push_back({{"gate", judge::to_string(trial.gated)},
                    {"compare", judge::to_string(trial.compared)},
                    {"ratio", trial.ratio},
                    {"samples", trial.samples}});
  return list;
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
  Progress progress("calibrating", request.pairs + request.trials * request.slowdowns.size(), options.json);
  request.on_step = [&](const std::string& step) { progress.advance(step); };
  ASSAY_TRY(const measure::TrialReport report, measure::run_trials(bench.request, request));
  nlohmann::json document = document_head("calibrate", spec, bench.request.configuration, options);
  document["gpu"] = std::string(bench.request.model.name);
  document["shape"] = bench.request.shapes.front().text();
  document["seed"] = options.seed;
  document["kernel_us"] = report.kernel_us;
  document["calibration"] = judge::to_json(report.calibration);
  document["false_comparisons"] = report.false_comparisons();
  document["process_spread"] = report.process_spread();
  document["same"] = trials_json(report.same);
  document["slower"] = nlohmann::json::array();
  for (const auto& trials : report.slower) document["slower"].push_back(trials_json(trials));
  document["measured_slowdowns"] = report.measured_slowdowns;
  ASSAY_CHECK(store_calibration(recording, bench.request.model, report.calibration));
  ledger::Attempt attempt = recording.draft();
  describe_build(attempt, bench.built);
  attempt.shape = bench.request.shapes.front().text();
  attempt.verdict = "calibrated";
  ASSAY_CHECK(recording.write(std::move(attempt), document));
  if (options.json) {
    print_document(document);
    return ExitCode::good;
  }
  fmt::print("{} on {}, {}: {:.2f} us\n", spec.kernel.name, bench.request.model.name,
             bench.request.shapes.front().text(), report.kernel_us);
  fmt::print("  the same kernel on both sides: {} comparisons, {} false verdicts, {} undecided\n",
             report.calibration.trials, report.calibration.false_verdicts, report.calibration.undecided);
  fmt::print("  assay compare would have called {} of them FASTER or SLOWER\n", report.false_comparisons());
  if (report.process_spread() > 0)
    fmt::print("  two processes of the same kernel differ by {:.2f} % (deviation)\n", 100 * report.process_spread());
  if (report.calibration.side_spread_us)
    fmt::print("  the level of a side varies by {:.3f} us (deviation), which bench and suite allow for from now on\n",
               *report.calibration.side_spread_us);
  for (size_t i = 0; i < report.calibration.detections.size(); ++i) {
    const judge::Detection& detection = report.calibration.detections[i];
    fmt::print("  {:.1f} % slower (measured {:.2f} %): found in {} of {}\n", 100 * detection.slowdown,
               100 * report.measured_slowdowns[i], detection.found, detection.trials);
  }
  fmt::print("  {}\n", judge::describe(report.calibration));
  return ExitCode::good;
}

Result<ExitCode> run(const Options& options) {
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
