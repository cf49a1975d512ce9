// SPDX-License-Identifier: MIT
// What rules are made of: shares, lines, chains.
#pragma once

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>

#include "diagnosis/diagnosis.hpp"

namespace assay::diagnosis {

using gpu::LineWork;
using gpu::Work;
using gpu::WorkSums;

// The line that has most of something.
template <class Amount>
void add_line(Evidence& evidence, const Case& about, Amount&& amount) {
  double total = 0;
  const LineWork* best = nullptr;
  for (const LineWork& line : about.work.lines) {
    const double own = amount(line.sums);
    total += own;
    if (own > 0 && line.line.line > 0 && (best == nullptr || own > amount(best->sums))) best = &line;
  }
  if (best == nullptr || total <= 0 || best->line.file.empty()) return;
  evidence.line = best->line;
  evidence.line_share = amount(best->sums) / total;
}

inline double share_of(const Case& about, std::string_view resource) {
  return about.estimate.time_of(resource) / about.estimate.time_us;
}

inline std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

inline void scale_chain(Case& about, double factor) {
  for (gpu::ChainCycles* chain : {&about.work.mean_chain, &about.work.longest_chain}) {
    chain->with_l2 *= factor;
    chain->with_dram *= factor;
  }
}

// A warp waits less by this share of the mean chain. The longest one loses as many cycles, not the same share: what
// makes it longer than the others may be something else.
inline void shorten_chain(Case& about, double share) {
  gpu::ChainCycles& longest = about.work.longest_chain;
  gpu::ChainCycles& mean = about.work.mean_chain;
  longest.with_l2 = std::max(0.0, longest.with_l2 - share * mean.with_l2);
  longest.with_dram = std::max(0.0, longest.with_dram - share * mean.with_dram);
  mean.with_l2 *= 1 - share;
  mean.with_dram *= 1 - share;
}

// As long as it was estimated to be: less traffic does not make what is left of it slower.
inline void settle_chain(Case& about) {
  const gpu::ChainCycles& mean = about.work.mean_chain;
  const double slower = mean.with_dram - mean.with_l2;
  const double part = slower > 0 ? (about.estimate.chain_cycles - mean.with_l2) / slower : 0;
  for (gpu::ChainCycles* chain : {&about.work.mean_chain, &about.work.longest_chain})
    chain->with_l2 = chain->with_dram = chain->with_l2 + part * (chain->with_dram - chain->with_l2);
}

// Of what a warp takes when it runs alone: the share in which it waits for these.
inline double share_of_waiting(const Case& about, double cycles) {
  const double warps = std::max(1.0, static_cast<double>(about.work.blocks) * about.work.warps_per_block);
  return std::clamp(cycles / warps / std::max(1.0, about.estimate.chain_cycles), 0.0, 1.0);
}

// Cycles of all warps that the chain waits for these.
inline double waits(const WorkSums& sums, std::initializer_list<Work> reasons) {
  double cycles = 0;
  for (const Work reason : reasons) cycles += sums[reason];
  return cycles;
}

}  // namespace assay::diagnosis
