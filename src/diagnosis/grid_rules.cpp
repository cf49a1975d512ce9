// SPDX-License-Identifier: MIT
// Rules about the grid and how the kernel was built.
#include <cmath>

#include "base/text.hpp"
#include "diagnosis/rule_parts.hpp"
#include "diagnosis/rules.hpp"

namespace assay::diagnosis {

static double blocks_needed(const Case& about) {
  return static_cast<double>(about.model->sm_count);
}

Seen not_enough_blocks(const Case& about) {
  const auto blocks = static_cast<double>(about.work.blocks);
  const double sms = blocks_needed(about);
  const double resident = sms * std::max(1, about.blocks_per_sm);
  const double waves = blocks / resident;
  constexpr double kWasted = 0.05;
  const double wasted = blocks < sms ? 1 - blocks / sms : 1 - blocks / sms / std::ceil(blocks / sms);
  if (wasted <= kWasted || waves > 4) return std::nullopt;
  Evidence evidence;
  evidence.facts.push_back(fmt::format("{} on {:.0f} SMs ({:.2f} waves): {} of the SMs' time is idle",
                                       counted(about.work.blocks, "block"), sms, waves, percent(wasted)));
  if (blocks >= sms) return evidence;  // a ragged wave is no missing axis
  std::string missing;
  for (const Axis& axis : about.axes) {
    if (!axis.in_grid && axis.extent > 1)
      missing += fmt::format("{}{} = {:.0f}", missing.empty() ? "" : ", ", axis.name, axis.extent);
  }
  if (!missing.empty())
    evidence.facts.push_back(
        fmt::format("the grid does not go along {}: each block goes through them by itself", missing));
  return evidence;
}
// The same work in as many blocks as fill the SMs evenly.
void enough_blocks(Case& about) {
  const auto blocks = static_cast<double>(about.work.blocks);
  const double sms = blocks_needed(about);
  const double wanted = sms * std::ceil(blocks / sms);
  scale_chain(about, blocks / wanted);
  about.work.blocks = static_cast<uint64_t>(wanted);
}

Seen starting_blocks(const Case& about) {
  const double start = share_of(about, estimate::kBlocks);
  constexpr double kMuch = 0.25;
  if (start <= kMuch) return std::nullopt;
  return Evidence{{fmt::format("{} blocks of {} threads: starting them takes {} of the time", about.work.blocks,
                               about.work.block.volume(), percent(start))},
                  {},
                  0};
}
void few_blocks(Case& about) {
  const double warps = static_cast<double>(about.work.blocks) * about.work.warps_per_block;
  constexpr int kWarps = 8;
  about.work.warps_per_block = std::max(about.work.warps_per_block, kWarps);
  about.work.blocks =
      static_cast<uint64_t>(std::max<double>(about.model->sm_count, std::ceil(warps / about.work.warps_per_block / 8)));
}

Seen launch_bound(const Case& about) {
  constexpr double kShort_us = 10;
  const double launch = about.rates().launch_us;
  if (about.time_us >= kShort_us || launch < 0.25 * about.time_us) return std::nullopt;
  Evidence evidence{{fmt::format("{:.1f} us in all, of which the launch, the first load and the last store take about "
                                 "{:.1f} us",
                                 about.time_us, launch)},
                    {},
                    0};
  if (about.kernels > 1) {
    evidence.facts.push_back(
        fmt::format("one of {} kernels in a row: a single kernel would be launched once", about.kernels));
    evidence.unseen_us = launch * (about.kernels - 1) / about.kernels;
  }
  return evidence;
}
void without_launch(Case& about) {
  // What several launches share: half of the fixed cost goes with each kernel that is fused into its neighbour.
  scale_chain(about, 0.5);
}

Seen debug_build(const Case& about) {
  if (!about.unoptimised.empty()) {
    Evidence evidence{{fmt::format("the kernel is built with {}: ptxas does not optimise", about.unoptimised)}, {}, 0};
    evidence.worth_saying = true;
    if (about.measured) return evidence;
    evidence.facts.emplace_back("the estimate is that of optimised machine code: this build takes longer");
    evidence.unseen_us = about.time_us;
    return evidence;
  }
  if (!about.debug_build) return std::nullopt;
  Evidence evidence{
      {"the PTX was made for debugging (-G): nothing is optimised, every variable lives in memory"}, {}, 0};
  evidence.worth_saying = true;
  return evidence;
}
void optimised(Case& about) {
  for (double& value : about.work.total.values) value *= 0.2;
  scale_chain(about, 0.2);
}

// What a call needs at least: that of the baseline, or what the caller gives and gets.
static double memory_needed(const Case& about) {
  return about.baseline_bytes > 0 ? about.baseline_bytes : std::max(about.bytes, about.given_bytes);
}
// Beside a baseline that says what its call holds, memory is a finding of its own, whether it takes time or not.
Seen workspace(const Case& about) {
  const bool beside = about.baseline_bytes > 0;
  const double enough = memory_needed(about);
  if (enough <= 0 || about.argument_bytes <= 2 * enough) return std::nullopt;
  Evidence evidence;
  if (beside) {
    evidence.facts.push_back(fmt::format("a call holds {:.4g} MB of device memory, one of the baseline '{}' {:.4g} MB",
                                         about.argument_bytes / 1e6, about.baseline, enough / 1e6));
    evidence.worth_saying = true;
  } else {
    evidence.facts.push_back(fmt::format(
        "the kernel's tensors have {:.4g} MB, the problem {:.4g} MB (no baseline says how much memory it holds)",
        about.argument_bytes / 1e6, enough / 1e6));
  }
  return evidence;
}
void no_workspace(Case& about) {
  const double factor = memory_needed(about) / about.argument_bytes;
  for (gpu::BufferWork& buffer : about.work.buffers) {
    buffer.fetched_bytes *= factor;
    buffer.unique_written_bytes *= factor;
  }
}

}  // namespace assay::diagnosis
