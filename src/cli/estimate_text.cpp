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

std::string estimate_text(const work::EstimatedCase& estimated) {
  const estimate::Estimate& estimate = estimated.estimate;
  const gpu::Rates& rates = gpu::rates_of(*estimated.model);
  const report::Terminal terminal;
  std::string text = fmt::format("{} on {}, {}\n", estimated.entry, estimated.model->name, estimated.shape);
  text += fmt::format("  {} estimated, between {} and {}{}\n",
                      terminal.paint(report::Colour::bold, time_text(estimate.time_us)), time_text(estimate.low_us),
                      time_text(estimate.high_us), rate_text(estimated));
  text += fmt::format("  at least {}, by {}\n", time_text(estimate.lower_bound_us), estimate.lower_bound_by);
  text += fmt::format("  limiter: {}\n\n", terminal.paint(report::Colour::bold, estimate.limiter));
  report::Table table({"resource", "alone", "share", "amount"});
  for (const estimate::Resource& resource : estimate.resources) {
    constexpr double kWorthShowing = 0.01;
    if (resource.share < kWorthShowing) continue;
    table.add({resource.name, time_text(resource.time_us), fmt::format("{:.0f} %", 100 * resource.share),
               fmt::format("{} {}", amount_text(resource.amount), resource.unit)});
  }
  text += table.render(terminal);
  text += fmt::format("\n{} of {} threads, {} on an SM{}, {:.2f} waves; {:.3g} warps per scheduler\n",
                      counted(estimated.work.blocks, "block"), estimated.work.block.volume(), estimate.blocks_per_sm,
                      estimated.occupancy_known ? "" : " (registers not known)", estimate.waves,
                      estimate.warps_per_scheduler);
  text += fmt::format("{:.4g} MB to and from DRAM, {:.4g} of them once each; {:.4g} MB of L2 traffic\n",
                      estimate.dram_bytes / 1e6, estimate.compulsory_bytes / 1e6, estimate.l2_bytes / 1e6);
  if (estimated.work.sampled())
    text += fmt::format("sampled: {} of {} blocks were run and stand for the others\n", estimated.work.counted_blocks,
                        estimated.work.blocks);
  text += fmt::format("estimated from counts of {} PTX; error of the model {}: median {:.0f} %, 90 % within {:.0f} %\n",
                      estimated.target, rates.judged ? "as measured on this GPU" : "as assumed for this GPU",
                      100 * rates.median_error, 100 * rates.spread);
  return text;
}

}  // namespace assay::cli
