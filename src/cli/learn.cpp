// SPDX-License-Identifier: MIT
// assay learn: which changes have paid.
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

// An improvement as a factor, a failure as a share, seconds as they are.
std::string outcome_text(const work::TestedHypothesis& each, size_t cases, double mean) {
  if (cases == 0) return "-";
  const std::string value = each.outcome == "improvement" ? ratio(mean)
                            : each.outcome == "failure"   ? fmt::format("{:.1f} % fail", 100 * mean)
                                                          : fmt::format("{:.0f} s", mean);
  return fmt::format("{} in {}", value, cases);
}

std::string hypotheses_text(const std::vector<work::TestedHypothesis>& hypotheses) {
  const report::Terminal terminal;
  report::Table table({"hypothesis", "verdict", "followed", "not followed", "p", "claimed"});
  std::string untold;
  for (const work::TestedHypothesis& each : hypotheses) {
    const report::Colour colour = each.verdict == "confirmed" ? report::Colour::green
                                  : each.verdict == "refuted" ? report::Colour::red
                                                              : report::Colour::none;
    table.add({each.name,
               {each.verdict, colour},
               outcome_text(each, each.followed, each.mean_followed),
               outcome_text(each, each.not_followed, each.mean_not),
               each.p < 1 ? fmt::format("{:.3f}", each.p) : "-",
               each.claimed});
    if (each.verdict == "not in a ledger") untold += fmt::format("  {}: needs {}\n", each.name, each.cases);
  }
  table.leave_out({"claimed", "p"});
  return table.render(terminal) + "unknown: fewer than five cases on a side, or p of 0.05 or more\n" +
         (untold.empty() ? "" : "what a ledger cannot tell:\n" + untold);
}

class LearnCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.option("--kernel", request_.kernel, "only this kernel; * stands for any text");
    line.option("--device", request_.device, "only this device; * stands for any text");
    line.option("--least", request_.least, "pairs that make a pattern", {1, 1000000});
    line.option("--export", export_, "write what was learned to this file, without sources");
    line.option("--import", request_.import_file, "add what such a file says, or a file of steps");
    line.flag("--hypotheses", request_.hypotheses, "twelve practices, each beside what the ledger says of it");
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
    if (!report.hypotheses.empty()) {
      print(hypotheses_text(report.hypotheses));
      return ExitCode::good;
    }
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

}  // namespace

CommandEntry learn_command() {
  return {"learn", "which changes have paid, from the record of attempts",
          [] { return std::unique_ptr<Command>(new LearnCommand); }};
}

}  // namespace assay::cli
