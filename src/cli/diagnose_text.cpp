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
  std::string alone;
  for (const auto& [part, time_us] : report.details->diagnosis.floor.alone)
    alone += fmt::format("{}{} {}", alone.empty() ? "" : ", ", part, time_text(time_us));
  text += fmt::format("  alone, at its peak: {}\n", alone);
  text += fmt::format("  limiter: {}; {} blocks of {} threads, {:.2f} waves\n", report.limiter, estimated.work.blocks,
                      estimated.work.block.volume(), estimated.estimate.waves);
  if (!estimated.stages.empty()) {
    text += fmt::format("  {} kernels, one after the other (estimated):", estimated.stages.size());
    for (const work::EstimatedStage& stage : estimated.stages)
      text += fmt::format(" {} {}{}", stage.name, time_text(stage.estimate.time_us),
                          &stage == &estimated.stages.back() ? "\n" : ",");
  }
  return text;
}

std::string finding_text(const Terminal& terminal, size_t number, const work::DiagnosedFinding& finding,
                         double time_us) {
  std::string text =
      fmt::format("\n{}. {}{}  at most -{} ({:.0f} %)\n", number, terminal.paint(Colour::bold, finding.title),
                  finding.stage.empty() ? "" : fmt::format(", in {}", finding.stage), time_text(finding.cap_us),
                  100 * finding.cap_us / time_us);
  if (!finding.file.empty()) text += fmt::format("   {}:{}\n", finding.file, finding.line);
  for (const std::string& fact : finding.evidence) text += fmt::format("   {}\n", fact);
  for (const std::string& line : finding.baseline) text += fmt::format("   {}\n", line);
  text += fmt::format("   do: {}\n", finding.remedy);
  return text;
}

std::string sweep_text(const Terminal& terminal, const work::DiagnoseReport& report) {
  report::Table table(
      {"shape", "time", "known", "of the floor", "TFLOP/s", "GB/s", "MHz", "W", "C", "throttled", "limiter"});
  table.leave_out({"C", "W", "MHz", "throttled"});
  const auto whole = [](const std::optional<double>& value) { return value ? fmt::format("{:.0f}", *value) : ""; };
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
               whole(point.gpu.clock_mhz),
               whole(point.gpu.power_w),
               whole(point.gpu.temperature_c),
               point.gpu.throttled,
               {point.limiter, changed ? Colour::yellow : Colour::none}});
  }
  if (changes.empty() && report.sweep.size() > 1) changes = fmt::format("the limiter is {} at all of them\n", before);
  if (!report.sweep_ended.empty()) changes += fmt::format("the sweep ends before {}\n", report.sweep_ended);
  return "\n" + table.render(terminal) + changes;
}

// What the baseline does differently, and where both reports are.
std::string baseline_text(const work::DiagnoseReport& report) {
  constexpr size_t kDifferencesShown = 5;
  std::string text;
  if (!report.baseline.empty()) {
    const work::BaselineProfile& baseline = *report.details->baseline;
    text += fmt::format("\n{} under Nsight Compute ({}): {}\n", report.baseline, baseline.launch.kernel,
                        report.differences.empty() ? "no figure differs by a quarter" : "what differs most");
    for (size_t i = 0; i < std::min(kDifferencesShown, report.differences.size()); ++i)
      text += fmt::format("   {}\n", report.differences[i]);
  }
  if (!report.details->no_baseline.empty())
    text += fmt::format("the baseline was not profiled: {}\n", report.details->no_baseline);
  if (!report.details->baseline_not_measured.empty())
    text += fmt::format("the baseline was not measured: {}\n", report.details->baseline_not_measured);
  if (!report.kept.empty()) text += fmt::format("reports of Nsight Compute: {}\n", report.kept);
  return text;
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
  if (report.cache == "warm") text += "measured with warm caches: so little data never leaves the L2\n";
  text += baseline_text(report);
  if (report.details->estimated.measured)
    text += fmt::format("rates measured here on {}\n", report.details->estimated.measured->date());
  if (!report.details->not_measured.empty()) text += fmt::format("not measured: {}\n", report.details->not_measured);
  if (report.details->estimated.work.sampled())
    text += fmt::format("sampled: {} of {} blocks were run and stand for the others\n",
                        report.details->estimated.work.counted_blocks, report.details->estimated.work.blocks);
  return text;
}

}  // namespace assay::cli
