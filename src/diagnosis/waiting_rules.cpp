// SPDX-License-Identifier: MIT
// Rules about what warps wait for.
#include <array>

#include "diagnosis/rule_parts.hpp"
#include "diagnosis/rules.hpp"

namespace assay::diagnosis {

Seen latency(const Case& about) {
  constexpr double kMuch = 0.5;
  const double chain = share_of(about, estimate::kChain);
  double busiest = 0;
  for (const estimate::Resource& resource : about.estimate.resources) {
    if (resource.name != estimate::kChain && resource.name != estimate::kLaunch)
      busiest = std::max(busiest, resource.share);
  }
  if (chain < kMuch || busiest > 0.8 * chain) return std::nullopt;
  Evidence evidence{
      {fmt::format("a warp alone takes {:.0f} cycles; with {:.3g} warps on a scheduler no part is busier than {}",
                   about.estimate.chain_cycles, about.estimate.warps_per_scheduler, percent(busiest))},
      {},
      0};
  struct Reason {
    Work work;
    std::string_view text;
  };
  constexpr std::array kReasons = {
      Reason{Work::wait_global, "global memory"},
      Reason{Work::wait_async, "asynchronous copies"},
      Reason{Work::wait_shared, "shared memory, shuffles and special functions"},
      Reason{Work::wait_tensor, "tensor cores"},
      Reason{Work::wait_fixed, "arithmetic"},
      Reason{Work::wait_barrier, "barriers"},
  };
  const auto most =
      std::ranges::max_element(kReasons, {}, [&](const Reason& reason) { return about.work.total[reason.work]; });
  evidence.facts.push_back(fmt::format("most of the waiting is for {}", most->text));
  add_line(evidence, about, [&](const WorkSums& sums) { return sums[most->work]; });
  return evidence;
}
void no_latency(Case& about) {
  about.work.mean_chain = about.work.longest_chain = {};
}

Seen uneven_blocks(const Case& about) {
  constexpr double kMuch = 0.3;
  constexpr double kLonger = 1.5;
  const double mean = about.work.mean_chain.with_dram;
  const double longest = about.work.longest_chain.with_dram;
  // As many blocks as follow each other on an SM even out what one takes longer.
  const double in_a_row = std::max(1.0, about.estimate.waves);
  if (longest < kLonger * mean * in_a_row || share_of(about, estimate::kChain) < kMuch) return std::nullopt;
  Evidence evidence{
      {fmt::format("the slowest block takes {:.0f} cycles when it runs alone, the mean one {:.0f} ({:.1f} "
                   "times)",
                   longest, mean, longest / mean)},
      {},
      0};
  add_line(evidence, about, [](const WorkSums& sums) {
    return sums[Work::issue] + waits(sums, {Work::wait_global, Work::wait_async, Work::wait_shared, Work::wait_tensor,
                                            Work::wait_fixed, Work::wait_barrier});
  });
  return evidence;
}
void even_blocks(Case& about) {
  about.work.longest_chain = about.work.mean_chain;
}

Seen uneven_warps(const Case& about) {
  constexpr double kMuch = 0.25;
  const double share = share_of_waiting(about, about.work.total[Work::held_up]);
  if (share < kMuch) return std::nullopt;
  Evidence evidence{{fmt::format("for {} of a warp's time it waits at barriers for the slowest warp of its block "
                                 "({} warps)",
                                 percent(share), about.work.warps_per_block)},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::held_up]; });
  return evidence;
}
void even_warps(Case& about) {
  shorten_chain(about, share_of_waiting(about, about.work.total[Work::held_up]));
}

Seen barriers(const Case& about) {
  const gpu::Rates& rates = about.rates();
  const double cost =
      about.work.total[Work::barriers] * (rates.barrier_base + rates.barrier_per_warp * about.work.warps_per_block);
  const double waited = about.work.total[Work::wait_barrier];
  const double warps = std::max(1.0, static_cast<double>(about.work.blocks) * about.work.warps_per_block);
  const double chain = std::max(1.0, about.estimate.chain_cycles);
  constexpr double kMuch = 0.05;
  const double needless = about.work.judges_barriers ? about.work.total[Work::needless_barriers] : 0;
  const double share = std::max(cost, waited) / warps / chain;
  if (about.work.total[Work::barriers] <= 0 || (share < kMuch && needless <= 0)) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} barriers of a warp; waiting at them is {} of what a warp takes",
                                 about.work.total[Work::barriers] / warps, percent(share))},
                    {},
                    0};
  if (needless > 0)
    evidence.facts.push_back(fmt::format("{} of them protect nothing: no two threads communicate across",
                                         percent(needless / about.work.total[Work::barriers])));
  add_line(evidence, about, [&](const WorkSums& sums) {
    return needless > 0 ? sums[Work::needless_barriers] : sums[Work::wait_barrier] + sums[Work::barriers];
  });
  return evidence;
}
void no_barriers(Case& about) {
  const double warps = std::max(1.0, static_cast<double>(about.work.blocks) * about.work.warps_per_block);
  const bool needless = about.work.judges_barriers && about.work.total[Work::needless_barriers] > 0;
  // A warp that is slower than the others is so without the barrier as well.
  const double held_up = needless ? 0 : about.work.total[Work::held_up];
  const double waited = std::max(0.0, about.work.total[Work::wait_barrier] - held_up) / warps;
  const double chain = std::max(1.0, about.work.mean_chain.with_dram);
  // Without its barriers a warp's loads no longer wait for those before them: the rest of the waiting overlaps too.
  shorten_chain(about, std::min(0.95, (needless ? 2 : 1) * waited / chain));
  // Where none of them orders anything, each thread has its words for itself: they can be registers.
  const double alone = about.work.total[Work::needless_barriers] / std::max(1.0, about.work.total[Work::barriers]);
  constexpr double kAll = 0.99;
  if (!about.work.judges_barriers || alone < kAll) return;
  WorkSums& total = about.work.total;
  const double shared = std::max(0.0, total[Work::lsu] - total[Work::lsu_global] - total[Work::shuffles]);
  total[Work::shared_wavefronts] = total[Work::shared_conflicts] = total[Work::shared_atomics] = 0;
  total[Work::lsu] -= shared;
  total[Work::issue] -= std::min(total[Work::issue], shared);
}

}  // namespace assay::diagnosis
