// SPDX-License-Identifier: MIT
// assay judge: answers to tasks of other benchmarks, under our guards.
#include "assay/judge.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

class JudgeText final : public work::JudgeListener {
 public:
  void on_submission(const work::JudgedSubmission& judged) override {
    const auto word = [&](const char* text, report::Colour colour) { return terminal_.paint(colour, text); };
    const std::string verdict = judged.good()               ? word("GOOD", report::Colour::green)
                                : judged.submission.empty() ? word("MISSING", report::Colour::yellow)
                                : !judged.runs              ? word("DOES NOT RUN", report::Colour::red)
                                : !judged.correct           ? word("INCORRECT", report::Colour::red)
                                                            : word("NOT HONEST", report::Colour::red);
    print(fmt::format("{}  {}  {}\n", verdict, escape_terminal(judged.task), escape_terminal(judged.submission)));
    if (!judged.detail.empty())
      print(fmt::format("  {}{}\n", judged.guard.empty() ? "" : "guard " + judged.guard + ": ",
                        escape_terminal(judged.detail)));
    for (const work::JudgedTaskCase& each : judged.cases) {
      if (!each.p50_us || !each.timed) continue;
      print(fmt::format("  {}: {:.2f} us{}\n", escape_terminal(each.name), *each.p50_us,
                        each.default_stream ? ", on the default stream" : ""));
      for (const work::JudgedBaseline& baseline : each.baselines) {
        print(baseline.speedup
                  ? fmt::format("    {} {:.2f} us: {:.3f}x ({:.3f} to {:.3f}) {}\n", baseline.name, baseline.p50_us,
                                *baseline.speedup, baseline.low, baseline.high, baseline.verdict)
                  : fmt::format("    {}: not compared: {}\n", baseline.name, escape_terminal(baseline.verdict)));
      }
    }
  }

 private:
  const report::Terminal terminal_;
};

class JudgeCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.needs("TASK", request_.task, "a module, a folder of modules, or a folder with task.yml");
    line.needs("SUBMISSION", request_.submission, "a file, or a folder of files");
    declare_device(line, request_.device);
    work::Measuring& measuring = request_.measuring;
    line.choice("--protocol", measuring.protocol, "graph or event", {"graph", "event"});
    line.choice("--cache", measuring.cache, "warm, cold or rotating", {"warm", "cold", "rotating"});
    line.option("--sets", measuring.sets, "different inputs, used in rotation", {1, 64});
    line.option("--samples", measuring.samples, "at least, of each contender", {100, 1000000});
    line.option("--most-samples", measuring.most_samples, "of each contender, in processes of 40", {100, 1000000});
    line.option("--budget", measuring.budget_s, "seconds of sampling for each case", kSeconds);
    line.option("--width", measuring.width, "half the interval of the ratio at which to stop", {1e-6, 1});
    line.flag("--no-compile", no_compile_, "do not measure torch.compile of the reference");
    line.flag("--no-tests", no_tests_, "skip the cases that are only checked");
    line.flag("--allow-libraries", request_.libraries, "kernels of libraries are no objection");
    line.option("--atol", request_.atol, "absolute tolerance", {0, 1e300});
    line.option("--rtol", request_.rtol, "relative tolerance", {0, 1e300});
    declare_seed(line, request_.seed);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    request_.compile = !no_compile_;
    request_.tests = !no_tests_;
    JudgeText text;
    ASSAY_TRY(const work::JudgeReport report, work::judge(request_, context, json() ? nullptr : &text));
    if (json()) {
      print_document(to_json(report));
      return report.exit_code;
    }
    if (report.submissions.size() > 1) print(fast_text(report));
    return report.exit_code;
  }

 private:
  static std::string fast_text(const work::JudgeReport& report) {
    std::string text;
    for (const work::FastP& fast : report.fast) {
      text += fmt::format("beside {}, of {}:", fast.baseline, report.submissions.size());
      for (const auto& [p, share] : fast.shares) text += fmt::format("  fast_{} {:.3f}", p, share);
      if (fast.geometric_mean) text += fmt::format("  geometric mean of the good ones {:.3f}x", *fast.geometric_mean);
      text += "\n";
    }
    return text;
  }

  work::JudgeRequest request_;
  RecordWords record_;
  bool no_compile_ = false;
  bool no_tests_ = false;
};

}  // namespace

CommandEntry judge_command() {
  return {"judge", "answers to tasks of KernelBench and GPU MODE, under our guards",
          [] { return std::unique_ptr<Command>(new JudgeCommand); }};
}

}  // namespace assay::cli
