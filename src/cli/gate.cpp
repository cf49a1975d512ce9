// SPDX-License-Identifier: MIT
// assay gate: may this change go in? By time on a GPU, by exact counters on a virtual one.
#include "assay/gate.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/goal_text.hpp"
#include "cli/words.hpp"
#include "device/device.hpp"
#include "report/terminal.hpp"
#include "work/gate_details.hpp"

namespace assay::cli {
namespace {

report::Colour colour_of(judge::GateVerdict verdict) {
  switch (verdict) {
    case judge::GateVerdict::pass:
      return report::Colour::green;
    case judge::GateVerdict::trade:
    case judge::GateVerdict::inconclusive:
      return report::Colour::yellow;
    case judge::GateVerdict::regression:
    case judge::GateVerdict::incorrect:
      break;
  }
  return report::Colour::red;
}

std::string gate_text(const work::GateReport& report) {
  const report::Terminal terminal;
  if (!report.details->result)
    return fmt::format("saved {} of {} on {} as '{}'\n", counted(report.cases.size(), "shape"), report.kernel,
                       report.device, report.details->saved);
  const judge::GateResult& result = *report.details->result;
  std::string text;
  for (const judge::GateCaseResult& each : result.cases) {
    text += fmt::format("  {}  {}: {}\n", terminal.paint(colour_of(each.verdict), std::string(to_string(each.verdict))),
                        each.name, each.reason);
    size_t others = 0;
    for (const judge::CounterChange& change : each.counters) {
      if (!judge::worth_showing(change)) continue;
      if (change.judged) {
        text += fmt::format("      {}, {}, counted\n", judge::describe(change), to_string(change.trend));
      } else {
        ++others;
      }
    }
    if (others > 0)
      text += fmt::format("      {} that are not judged changed: --json lists them\n", counted(others, "counter"));
  }
  const bool estimated = !result.options.strict && std::ranges::any_of(result.cases, [](const auto& each) {
    return each.estimated && each.verdict != judge::GateVerdict::trade;
  });
  const std::string calibrated = estimated                           ? "counted exactly; trades settled by estimate"
                                 : device::is_virtual(report.device) ? "counted exactly, no noise"
                                 : result.calibration
                                     ? judge::describe(*result.calibration)
                                     : "this GPU was not calibrated: assay calibrate tells how far to trust the gate";
  return text + fmt::format("{} {} on {}: {}  [{}]\n", terminal.paint(colour_of(result.verdict), report.verdict),
                            report.kernel, report.device, result.reason, calibrated);
}

class GateCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    declare_measuring(line, request_.measuring);
    line.option("--against", request_.against, "a saved baseline, best, a kernel folder, or a file");
    line.option("--save", request_.save, "keep what was measured or counted under this name or in this file");
    line.option("--threshold", request_.threshold, "slowdown that fails: 0.03 is 3 %", {0, 10});
    line.option("--counter-threshold", request_.counter_threshold, "growth of a counter that fails", {0, 10});
    line.option("--counters", counters_, "NAME,...: the counters that decide");
    line.flag("--strict", request_.strict, "growth of a counter fails, whatever fell");
    line.choice("--inconclusive", inconclusive_, "pass or fail", {"pass", "fail"});
    line.flag("--force", request_.force, "compare with a baseline of another contract");
    line.option("--junit", junit_, "write JUnit XML to this file");
    line.option("--markdown", markdown_, "write a report for a pull request to this file");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    request_.inconclusive_passes = inconclusive_ == "pass";
    if (!counters_.empty()) {
      for (const std::string_view name : split(counters_, ',')) request_.counters.emplace_back(trim(name));
    }
    return kernels_.each("gate", json(), [&](const std::string& kernel) { return gate(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> gate(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::GateReport report, work::gate(request_, context));
    if (report.details->result) {
      judged_.push_back(report);
      if (!junit_.empty()) ASSAY_CHECK(write_file_atomically(junit_, work::to_junit(judged_)));
      if (!markdown_.empty()) ASSAY_CHECK(write_file_atomically(markdown_, work::to_markdown(judged_)));
    }
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(gate_text(report) + goal_text(report.goal));
    return KernelWords::Outcome{report.exit_code};
  }

  work::GateRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string counters_;
  std::string inconclusive_ = "fail";
  std::string junit_;
  std::string markdown_;
  std::vector<work::GateReport> judged_;  // both files hold every kernel so far
};

}  // namespace

CommandEntry gate_command() {
  return {"gate", "fails a change that is slower than a baseline, or whose exact counters grew; never on noise",
          [] { return std::unique_ptr<Command>(new GateCommand); }};
}

}  // namespace assay::cli
