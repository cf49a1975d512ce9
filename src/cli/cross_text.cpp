// SPDX-License-Identifier: MIT
#include "cli/cross_text.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "cli/command.hpp"
#include "report/terminal.hpp"

namespace assay::cli {

void CrossText::on_case(const work::CrossCase& measured) {
  const report::Terminal terminal;
  std::string text = fmt::format("{}  {}\n", terminal.paint(report::Colour::bold, escape_terminal(measured.kernel)),
                                 escape_terminal(measured.shape));
  report::Table table({"rules", "contender", "us", "figure", "samples", "their tolerance", "candidate is"});
  for (const work::CrossTime& time : measured.times) {
    if (!time.problem.empty()) continue;
    table.add({time.rules, escape_terminal(time.contender), fmt::format("{:.2f}", time.us),
               time.cut ? time.figure + ", cut short" : time.figure, std::to_string(time.samples),
               !time.accepted   ? "not compared"
               : *time.accepted ? "within"
                                : "beyond",
               time.speedup ? fmt::format("{:.3f}x", *time.speedup) : ""});
  }
  text += table.render(terminal);
  for (const work::CrossTime& time : measured.times) {
    if (!time.problem.empty())
      text += fmt::format("  {} {}: {}\n", time.rules, escape_terminal(time.contender), escape_terminal(time.problem));
  }
  for (const work::CrossVerdict& verdict : measured.verdicts) {
    text += verdict.depends_on_timer
                ? fmt::format("  {} beside {} it is between {:.3f}x and {:.3f}x; ours: {}\n",
                              terminal.paint(report::Colour::yellow, "DEPENDS ON THE TIMER"),
                              escape_terminal(verdict.baseline), verdict.low, verdict.high, verdict.ours)
                : fmt::format("  beside {} all rules agree: {:.3f}x to {:.3f}x; ours: {}\n",
                              escape_terminal(verdict.baseline), verdict.low, verdict.high, verdict.ours);
  }
  if (measured.sol_score)
    text += fmt::format("  SOL-ExecBench's score {:.3f}: 0.5 at the fastest baseline, 1 at the floor of {:.2f} us\n",
                        *measured.sol_score, measured.floor_us);
  print(text);
}

}  // namespace assay::cli
