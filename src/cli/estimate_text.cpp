// SPDX-License-Identifier: MIT
#include "cli/estimate_text.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

std::string amount_text(double amount) {
  if (amount < 1e5) return fmt::format("{:.0f}", amount);
  if (amount < 1e9) return fmt::format("{:.4g} M", amount / 1e6);
  return fmt::format("{:.4g} G", amount / 1e9);
}

std::string rate_text(const work::EstimatedCase& estimated) {
  std::string text;
  const double seconds = estimated.estimate.time_us * 1e-6;
  if (estimated.flops > 0) text += fmt::format("  {:.4g} TFLOP/s", estimated.flops / seconds / 1e12);
  if (estimated.bytes > 0) text += fmt::format("  {:.4g} GB/s", estimated.bytes / seconds / 1e9);
  return text;
}

}  // namespace

std::string time_text(double us) {
  if (us < 1e3) return fmt::format("{:.3g} us", us);
  if (us < 1e6) return fmt::format("{:.4g} ms", us / 1e3);
  return fmt::format("{:.4g} s", us / 1e6);
}

namespace {

std::string estimate_title(const work::EstimatedCase& estimated) {
  if (estimated.stages.empty()) return estimated.entry;
  std::vector<std::string> names;
  for (const work::EstimatedStage& stage : estimated.stages) names.push_back(stage.name);
  return fmt::format("{}: {}", counted(names.size(), "kernel"), join(names, ", "));
}

std::string launch_line(const gpu::LaunchWork& work, const estimate::Estimate& estimate, bool occupancy_known) {
  return fmt::format("{} of {} threads, {} on an SM{}, {:.2f} waves; {:.3g} warps per scheduler\n",
                     counted(work.blocks, "block"), work.block.volume(), estimate.blocks_per_sm,
                     occupancy_known ? "" : " (registers not known)", estimate.waves, estimate.warps_per_scheduler);
}

std::string stage_table(const work::EstimatedCase& estimated, const report::Terminal& terminal) {
  report::Table table({"kernel", "estimated", "at least", "limiter"});
  for (const work::EstimatedStage& stage : estimated.stages)
    table.add({stage.name, time_text(stage.estimate.time_us), time_text(stage.estimate.lower_bound_us),
               stage.estimate.limiter});
  return table.render(terminal) + "\n";
}

std::string launch_lines(const work::EstimatedCase& estimated) {
  if (estimated.stages.empty()) return launch_line(estimated.work, estimated.estimate, estimated.occupancy_known);
  std::string text;
  for (const work::EstimatedStage& stage : estimated.stages)
    text += stage.name + ": " + launch_line(stage.work, stage.estimate, stage.occupancy_known);
  return text;
}

std::string sampled_line(const std::string& before, const gpu::LaunchWork& work) {
  if (!work.sampled()) return "";
  return fmt::format("{}sampled: {} of {} blocks were run and stand for the others\n", before, work.counted_blocks,
                     work.blocks);
}

std::string sampled_lines(const work::EstimatedCase& estimated) {
  if (estimated.stages.empty()) return sampled_line("", estimated.work);
  std::string text;
  for (const work::EstimatedStage& stage : estimated.stages) text += sampled_line(stage.name + ": ", stage.work);
  return text;
}

}  // namespace

std::string estimate_text(const work::EstimatedCase& estimated) {
  const estimate::Estimate& estimate = estimated.estimate;
  const gpu::Rates& rates = gpu::rates_of(*estimated.model);
  const report::Terminal terminal;
  std::string text = fmt::format("{} on {}, {}\n", estimate_title(estimated), estimated.model->name, estimated.shape);
  text += fmt::format("  {} estimated, between {} and {}{}\n",
                      terminal.paint(report::Colour::bold, time_text(estimate.time_us)), time_text(estimate.low_us),
                      time_text(estimate.high_us), rate_text(estimated));
  text += fmt::format("  at least {}, by {}\n", time_text(estimate.lower_bound_us), estimate.lower_bound_by);
  text += fmt::format("  limiter: {}\n\n", terminal.paint(report::Colour::bold, estimate.limiter));
  if (!estimated.stages.empty()) text += stage_table(estimated, terminal);
  report::Table table({"resource", "alone", "share", "amount"});
  for (const estimate::Resource& resource : estimate.resources) {
    constexpr double kWorthShowing = 0.01;
    if (resource.share < kWorthShowing) continue;
    table.add({resource.name, time_text(resource.time_us), fmt::format("{:.0f} %", 100 * resource.share),
               fmt::format("{} {}", amount_text(resource.amount), resource.unit)});
  }
  text += table.render(terminal);
  text += "\n" + launch_lines(estimated);
  text += fmt::format("{:.4g} MB to and from DRAM, {:.4g} of them once each; {:.4g} MB of L2 traffic\n",
                      estimate.dram_bytes / 1e6, estimate.compulsory_bytes / 1e6, estimate.l2_bytes / 1e6);
  text += sampled_lines(estimated);
  text += fmt::format(
      "estimated from counts of {} PTX; error of the model {}: median {:.0f} %, 90 % within a factor of {:.2f}\n",
      estimated.target, rates.judged ? "as measured on this GPU" : "as assumed for this GPU", 100 * rates.median_error,
      1 + rates.spread);
  if (estimated.measured)
    text += fmt::format("rates measured here on {} ({}, {}); what doctor --rates does not measure is the model's\n",
                        estimated.measured->date(), estimated.measured->device, estimated.measured->gpu);
  return text;
}

}  // namespace assay::cli
