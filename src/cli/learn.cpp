// SPDX-License-Identifier: MIT
// assay learn and assay advise: what the record teaches, and what to try next.
#include "assay/learn.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

std::string ratio(double value) {
  return fmt::format("{:.3f}x", value);
}

class LearnCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.option("--kernel", request_.kernel, "only this kernel; * stands for any text");
    line.option("--device", request_.device, "only this device; * stands for any text");
    line.option("--least", request_.least, "pairs that make a pattern", {1, 1000000});
    line.option("--export", export_, "write what was learned to this file, without sources");
    line.option("--import", request_.import_file, "add what such a file says");
    line.option("--ledger", request_.ledger, "the file");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    ASSAY_TRY(const work::LearnReport report, work::learn(request_));
    if (!export_.empty()) ASSAY_CHECK(write_file_atomically(export_, report.shared));
    if (json()) {
      print_document(to_json(report));
      return ExitCode::good;
    }
    if (report.imported > 0) print(fmt::format("{} results imported\n", report.imported));
    if (report.patterns.empty()) {
      print(fmt::format(
          "no pattern yet: {} measured results in {}, and a pattern needs {} pairs that differ in one thing\n",
          report.trials, escape_terminal(report.ledger), request_.least));
      return ExitCode::good;
    }
    report::Table table(
        {"kernel", "device", "change", "expected", "median", "interval", "won", "tied", "lost", "took"});
    for (const work::LearnedPattern& each : report.patterns) {
      table.add({escape_terminal(each.kernel), escape_terminal(each.device), escape_terminal(each.action),
                 ratio(each.expected_ratio), ratio(each.median_ratio),
                 fmt::format("{:.3f} to {:.3f}", each.low, each.high), std::to_string(each.wins),
                 std::to_string(each.ties), std::to_string(each.losses), fmt::format("{:.0f} s", each.seconds)});
    }
    table.leave_out({"took", "device", "interval"});
    print(table.render(report::Terminal()));
    print(fmt::format("from {} measured results; expected: shrunk towards 1, because few pairs say little\n",
                      report.trials));
    return ExitCode::good;
  }

 private:
  work::LearnRequest request_;
  std::string export_;
};

class AdviseCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("kernel", words_, "a folder with a kernel.toml; the current one if absent", {0, 1});
    line.option("--device", request_.choice.device, "as the ledger names it; that of the newest result otherwise");
    line.option("--shape", request_.shape, "NAME=value,...: as the ledger names it");
    line.option("--count", request_.count, "suggestions", {1, 1000});
    line.option("--ledger", request_.ledger, "the file");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    if (!words_.empty()) request_.choice.kernel = words_[0];
    ASSAY_TRY(const work::AdviceReport report, work::advise(request_));
    if (json()) {
      print_document(to_json(report));
      return ExitCode::good;
    }
    print(fmt::format("{} at {} on {}: {} results here, {} elsewhere\n", escape_terminal(report.kernel),
                      escape_terminal(report.shape), escape_terminal(report.device), report.trials_here,
                      report.trials_elsewhere));
    if (!report.best.empty())
      print(fmt::format("best here: {:.2f} us with {}\n", report.best_us, escape_terminal(report.best)));
    if (!report.nothing.empty()) print(report.nothing + "\n");
    for (const work::Suggestion& each : report.suggestions) {
      print(fmt::format("try {}: expected {} of {}\n", escape_terminal(each.configuration), ratio(each.expected_ratio),
                        report.best.empty() ? "the default configuration" : "the best"));
      for (const std::string& line : each.because) print("    " + escape_terminal(line) + "\n");
    }
    if (report.advised > 0)
      print(fmt::format("earlier advice: {} of {} that were tried came out in the best quarter\n", report.advice_held,
                        report.advised));
    return ExitCode::good;
  }

 private:
  work::AdviceRequest request_;
  std::vector<std::string> words_;
};

}  // namespace

CommandEntry learn_command() {
  return {"learn", "which changes have paid, from the record of attempts",
          [] { return std::unique_ptr<Command>(new LearnCommand); }};
}

CommandEntry advise_command() {
  return {"advise", "what to try next, from what was learned",
          [] { return std::unique_ptr<Command>(new AdviseCommand); }};
}

}  // namespace assay::cli
