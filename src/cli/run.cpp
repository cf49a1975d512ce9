// SPDX-License-Identifier: MIT
// assay run: doctor, build, sanitize, check and, on a GPU, bench and profile, stopping where the rest has become
// pointless.
#include "assay/run.hpp"

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/build_text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/diagnose_text.hpp"
#include "cli/goal_text.hpp"
#include "cli/open_page.hpp"
#include "cli/verdict_text.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"
#include "work/bench_details.hpp"
#include "work/sanitize_details.hpp"

namespace assay::cli {
namespace {

using report::Colour;

constexpr size_t kFindings = 3;  // of a diagnosis that stops the run

Colour colour_of(const std::string& verdict) {
  return verdict == "good" ? Colour::green : verdict == "failed" ? Colour::red : Colour::yellow;
}

std::string summary_text(const work::RunReport& report) {
  const report::Terminal terminal;
  report::Table table({"step", "verdict", "seconds", "summary"});
  for (const work::RunStep& step : report.steps)
    table.add({step.name, {step.verdict, colour_of(step.verdict)}, fmt::format("{:.1f}", step.seconds), step.summary});
  // Neighbours that stand alike share a line.
  std::string gates;
  for (size_t i = 0; i < report.gates.size();) {
    const work::RunGate& gate = report.gates[i];
    std::string names = gate.name;
    for (++i; i < report.gates.size() && report.gates[i].state == gate.state && report.gates[i].next == gate.next; ++i)
      names += ", " + report.gates[i].name;
    const Colour colour = gate.state == "passed" ? Colour::green : gate.state == "stopped" ? Colour::red : Colour::dim;
    gates += fmt::format("  gate {}{}  {}{}\n", terminal.paint(colour, gate.state),
                         std::string(11 - gate.state.size(), ' '), names, gate.next.empty() ? "" : ": " + gate.next);
  }
  return fmt::format("{} [{}] on {}\n{}{}{}", terminal.paint(Colour::bold, report.kernel), report.configuration,
                     report.device, table.render(terminal), gates, goal_text(report.goal));
}

std::string verdict_line(const work::RunReport& report) {
  const report::Terminal terminal;
  return report.exit_code == ExitCode::good ? terminal.paint(Colour::green, "verdict: good") + "\n"
                                            : terminal.paint(Colour::red, "verdict: FAILED") + "\n";
}

// What the verdict rests on, and what nobody looked at.
std::string coverage_lines(const work::RunReport& report) {
  if (!report.sanitize) return "";
  const gpu::Coverage& coverage = report.sanitize->details->report.coverage;
  return fmt::format("checks: {}\nnot checked: {}\n", join(coverage.checks, ", "), join(coverage.not_checked, ", "));
}

class RunCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--fuzz", request_.fuzz, "random shapes after the specified ones");
    line.flag("--no-measure", no_measure_, "on a GPU: neither bench nor profile");
    line.flag("--go-on", request_.go_on, "below half the baseline's speed: profile all the same");
    line.option("--budget", request_.measuring.budget_s, "seconds of sampling for each shape, on a GPU", kSeconds);
    line.option("--most-samples", request_.measuring.most_samples, "of each contender, on a GPU", {100, 1000000});
    line.option("--report", report_file_, "where the JSON report goes");
    line.flag("--open", open_, "show the page in the browser");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    request_.measure = !no_measure_;
    return kernels_.each("run", json(), [&](const std::string& kernel) { return run_one(kernel, context); });
  }

 private:
  void show_step(const work::RunReport& report, const work::RunStep& step, const std::string& kernel) const {
    if (step.name == "build" && report.build) print(build_summary(*report.build, report.configuration));
    if (step.name == "diagnose" && report.diagnosis) print(diagnose_text(*report.diagnosis, kFindings) + "\n");
    // Of a clean kernel the summary says all.
    if (step.name == "sanitize" && report.sanitize && !report.sanitize->clean())
      print(sanitize_text(*report.sanitize) + "\n");
    if (step.name == "bench" && report.bench) {
      for (const work::BenchCase& measured : report.bench->kernels.front().cases)
        print(report::bench_case_text(measured.details->judged, report::Terminal()));
      print("\n");
    }
    if (step.name == "check" && report.check)
      print(check_text(report.check->configurations.front(), kernel, false) + "\n");
  }

  Result<KernelWords::Outcome> run_one(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    const auto on_step = [&](const work::RunReport& report, const work::RunStep& step) {
      if (!json()) show_step(report, step, kernel);
    };
    ASSAY_TRY(const work::RunReport report, work::run(request_, context, on_step));
    const std::string document = to_json(report);
    // A report that cannot be written costs the file, not the verdict.
    const auto written = write_file_atomically(report_file_, document + "\n");
    if (!written && context.listener != nullptr) context.listener->warn("no report: " + to_string(written.error()));
    if (!json()) {
      print(summary_text(report));
      if (written) print(fmt::format("report: {}\n", report_file_));
      if (!report.page.empty()) print(fmt::format("page: {}\n", report.page));
      print(coverage_lines(report) + verdict_line(report));
    }
    if (open_ && !report.page.empty()) ASSAY_CHECK(open_page(report.page));
    return KernelWords::Outcome{report.exit_code, document};
  }

  work::RunRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string report_file_ = "report.json";
  bool no_measure_ = false;
  bool open_ = false;
};

}  // namespace

CommandEntry run_command() {
  return {"run", "doctor, build, sanitize, check; on a GPU bench and profile: one verdict and a report",
          [] { return std::unique_ptr<Command>(new RunCommand); }};
}

}  // namespace assay::cli
