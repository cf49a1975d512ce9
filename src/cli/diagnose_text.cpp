// SPDX-License-Identifier: MIT
#include "cli/diagnose_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/estimate_text.hpp"
#include "report/terminal.hpp"
#include "work/diagnose_details.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Terminal;

std::string head_text(const Terminal& terminal, const work::DiagnoseReport& report) {
  const work::EstimatedCase& estimated = report.details->estimated;
  std::string text = fmt::format("{} on {}, {}\n", estimated.entry, estimated.model->name, report.shape);
  text +=
      fmt::format("  {} {}, {:.1f} times the floor of {} ({})\n",
                  terminal.paint(Colour::bold, time_text(report.time_us)), report.measured ? "measured" : "estimated",
                  report.time_us / report.floor_us, time_text(report.floor_us), report.floor_by);
  text += fmt::format("  limiter: {}; {} blocks of {} threads, {:.2f} waves\n", report.limiter, estimated.work.blocks,
                      estimated.work.block.volume(), estimated.estimate.waves);
  return text;
}

std::string finding_text(const Terminal& terminal, size_t number, const work::DiagnosedFinding& finding,
                         double time_us) {
  std::string text =
      fmt::format("\n{}. {}  at most -{} ({:.0f} %)\n", number, terminal.paint(Colour::bold, finding.title),
                  time_text(finding.cap_us), 100 * finding.cap_us / time_us);
  if (!finding.file.empty()) text += fmt::format("   {}:{}\n", finding.file, finding.line);
  for (const std::string& fact : finding.evidence) text += fmt::format("   {}\n", fact);
  text += fmt::format("   do: {}\n", finding.remedy);
  return text;
}

std::string sweep_text(const Terminal& terminal, const work::DiagnoseReport& report) {
  report::Table table({"shape", "time", "known", "of the floor", "TFLOP/s", "GB/s", "limiter"});
  std::string before;
  std::string changes;
  for (const work::SweepPoint& point : report.sweep) {
    const bool changed = !before.empty() && before != point.limiter;
    if (changed)
      changes += fmt::format("the limiter changes from {} to {} at {}\n", before, point.limiter, point.shape);
    before = point.limiter;
    table.add({point.shape,
               time_text(point.time_us),
               point.measured ? "measured" : "estimated",
               fmt::format("{:.0f} %", 100 * point.floor_us / point.time_us),
               point.tflops > 0 ? fmt::format("{:.3g}", point.tflops) : "",
               point.gb_per_s > 0 ? fmt::format("{:.0f}", point.gb_per_s) : "",
               {point.limiter, changed ? Colour::yellow : Colour::none}});
  }
  return "\n" + table.render(terminal) + changes;
}

}  // namespace

std::string diagnose_text(const work::DiagnoseReport& report, size_t most) {
  const Terminal terminal;
  std::string text = head_text(terminal, report);
  if (report.findings.empty()) text += "\nnothing found that is worth 2 % of the time\n";
  const size_t shown = std::min(most, report.findings.size());
  for (size_t i = 0; i < shown; ++i) text += finding_text(terminal, i + 1, report.findings[i], report.time_us);
  if (shown < report.findings.size())
    text += fmt::format("\n{} more: --findings {}\n", report.findings.size() - shown, report.findings.size());
  if (!report.sweep.empty()) text += sweep_text(terminal, report);
  text += fmt::format("\n{}; caps are estimated, do not add up, and end at the floor\n", report.known);
  if (!report.details->not_measured.empty()) text += fmt::format("not measured: {}\n", report.details->not_measured);
  if (report.details->estimated.work.sampled())
    text += fmt::format("sampled: {} of {} blocks were run and stand for the others\n",
                        report.details->estimated.work.counted_blocks, report.details->estimated.work.blocks);
  return text;
}

}  // namespace assay::cli
