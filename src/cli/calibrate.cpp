// SPDX-License-Identifier: MIT
// assay calibrate: how often the judgement cries wolf on this GPU, and how small a slowdown it finds. With --simulate
// the same of simulated runs, on any machine.
#include "assay/calibrate.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "work/calibrate_details.hpp"

namespace assay::cli {
namespace {

std::string calibrate_text(const work::CalibrateReport& report) {
  const measure::TrialReport& trials = report.details->trials;
  const judge::Calibration& calibration = report.details->calibration;
  std::string text =
      fmt::format("{} on {}, {}: {:.2f} us\n", report.kernel, report.gpu, report.shape, report.kernel_us);
  text += fmt::format("  the same kernel on both sides: {} comparisons, {} false verdicts, {} undecided\n",
                      calibration.trials, calibration.false_verdicts, calibration.undecided);
  text += fmt::format("  assay compare would have called {} of them FASTER or SLOWER\n", trials.false_comparisons());
  if (!trials.calibration.spread.empty()) {
    const judge::SpreadPoint& point = trials.calibration.spread.front();
    text += fmt::format("  processes of the same kernel differ by {:.2f} % (deviation, {} pairs of them)\n",
                        100 * point.deviation, point.processes);
  }
  if (const auto spread = judge::process_spread(calibration))
    text += fmt::format("  by all lengths that were tried here: {:.2f} % of the time and {:.3f} us\n",
                        100 * spread->part, spread->constant_us);
  for (size_t i = 0; i < calibration.detections.size(); ++i) {
    const judge::Detection& detection = calibration.detections[i];
    text += fmt::format("  {:.1f} % slower (measured {:.2f} %): found in {} of {} (at least {:.1f} %)\n",
                        100 * detection.slowdown, 100 * trials.measured_slowdowns[i], detection.found, detection.trials,
                        100 * detection.interval.low);
  }
  text += fmt::format("  {}\n", judge::describe(calibration));
  return report.complete ? text : text + "  stopped: the same command goes on where it was\n";
}

class CalibrateCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    declare_measuring(line, request_.measuring);
    line.option("--candidate", request_.candidate, "a [baseline.NAME] that takes the kernel's place");
    line.option("--pairs", request_.pairs, "comparisons of the kernel with itself", {1, 100000});
    line.option("--trials", request_.trials, "comparisons with each injected slowdown", {1, 100000});
    line.list("--slowdowns", request_.slowdowns, "fractions: 0.03 is 3 %", {0, 10});
    line.option("--stop-after", request_.stop_after_s, "seconds after which the rest is left for the next run",
                {0, 1e9});
    line.flag("--restart", request_.restart, "forget what an earlier run began");
    line.flag("--simulate", simulate_, "judge simulated runs instead; needs no kernel and no GPU");
    line.option("--runs", simulated_.runs, "simulated runs of each cell", {10, 10000000});
    declare_seed(line, request_.seed);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (simulate_) return simulate(context);
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("calibrate", json(), [&](const std::string& kernel) -> Result<KernelWords::Outcome> {
      request_.choice.kernel = kernel;
      ASSAY_TRY(const work::CalibrateReport report, work::calibrate(request_, context));
      if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
      print(calibrate_text(report));
      return KernelWords::Outcome{report.exit_code};
    });
  }

 private:
  Result<ExitCode> simulate(const Context& context) {
    simulated_.restart = request_.restart;
    simulated_.seed = request_.seed;
    ASSAY_TRY(const work::SimulateReport report, work::simulate(simulated_, context));
    print(json() ? report.document + "\n" : report.table);
    return report.exit_code;
  }

  work::CalibrateRequest request_;
  work::SimulateRequest simulated_;
  bool simulate_ = false;
  KernelWords kernels_;
  RecordWords record_;
};

}  // namespace

CommandEntry calibrate_command() {
  return {"calibrate", "how often the gate cries wolf on this GPU, and how small a slowdown it finds",
          [] { return std::unique_ptr<Command>(new CalibrateCommand); }};
}

}  // namespace assay::cli
