// SPDX-License-Identifier: MIT
// The rules, one a row: when a rule applies and what is its evidence, what the launch is without its cost, what to do.
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "advise/advice.hpp"

namespace assay::advise {
namespace {

using gpu::LineWork;
using gpu::Work;
using gpu::WorkSums;

using Seen = std::optional<Evidence>;

// The line that has most of something.
template <class Amount>
void add_line(Evidence& evidence, const Case& about, Amount&& amount) {
  double total = 0;
  const LineWork* best = nullptr;
  for (const LineWork& line : about.work.lines) {
    const double own = amount(line.sums);
    total += own;
    if (own > 0 && (best == nullptr || own > amount(best->sums))) best = &line;
  }
  if (best == nullptr || total <= 0 || best->line.file.empty()) return;
  evidence.line = best->line;
  evidence.line_share = amount(best->sums) / total;
}

double share_of(const Case& about, std::string_view resource) {
  return about.estimate.time_of(resource) / about.estimate.time_us;
}

std::string percent(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

void scale_chain(Case& about, double factor) {
  for (gpu::ChainCycles* chain : {&about.work.mean_chain, &about.work.longest_chain}) {
    chain->with_l2 *= factor;
    chain->with_dram *= factor;
  }
}

// Cycles of all warps that the chain waits for these.
double waits(const WorkSums& sums, std::initializer_list<Work> reasons) {
  double cycles = 0;
  for (const Work reason : reasons) cycles += sums[reason];
  return cycles;
}

// --- the grid

double blocks_needed(const Case& about) {
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
  evidence.facts.push_back(fmt::format("{} blocks on {:.0f} SMs ({:.2f} waves): {} of the SMs' time is idle",
                                       about.work.blocks, sms, waves, percent(wasted)));
  std::string missing;
  for (const Axis& axis : about.axes) {
    if (!axis.in_grid && axis.extent > 1)
      missing += fmt::format("{}{} = {:g}", missing.empty() ? "" : ", ", axis.name, axis.extent);
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
  return Evidence{{fmt::format("{:.1f} us in all, of which the launch, the first load and the last store take about "
                               "{:.1f} us",
                               about.time_us, launch)},
                  {},
                  0};
}
void without_launch(Case& about) {
  // What several launches share: half of the fixed cost goes with each kernel that is fused into its neighbour.
  scale_chain(about, 0.5);
}

// --- global memory

Seen dram_bound(const Case& about) {
  constexpr double kFull = 0.8;
  const double floor = about.estimate.compulsory_bytes / about.rates().dram_reached / 1e3;
  if (floor < kFull * (about.time_us - about.rates().launch_us)) return std::nullopt;
  return Evidence{{fmt::format("{:.4g} MB must move once; at {:.0f} GB/s that takes {:.3g} us, {} of the time",
                               about.estimate.compulsory_bytes / 1e6, about.rates().dram_reached, floor,
                               percent(floor / about.time_us))},
                  {},
                  0};
}
void without_dram(Case& about) {
  for (gpu::BufferWork& buffer : about.work.buffers)
    buffer.fetched_bytes = buffer.unique_read_bytes = buffer.unique_written_bytes = 0;
}

Seen uncoalesced(const Case& about) {
  const double asked = about.work.total[Work::sectors_asked];
  const double ideal = about.work.total[Work::sectors_ideal];
  constexpr double kTooMany = 1.25;
  if (ideal <= 0 || asked < kTooMany * ideal) return std::nullopt;
  Evidence evidence{
      {fmt::format("{:.0f} sectors where {:.0f} would do ({:.1f} times)", asked, ideal, asked / ideal)}, {}, 0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::sectors_asked] - sums[Work::sectors_ideal]; });
  return evidence;
}
void coalesced(Case& about) {
  WorkSums& total = about.work.total;
  const double factor = total[Work::sectors_ideal] / std::max(1.0, total[Work::sectors_asked]);
  for (const Work work : {Work::l1_wavefronts, Work::l2_read_sectors, Work::l2_write_sectors}) total[work] *= factor;
  for (gpu::BufferWork& buffer : about.work.buffers) {
    buffer.l2_read_sectors *= factor;
    buffer.fetched_bytes =
        std::max(factor * buffer.fetched_bytes, std::min(buffer.fetched_bytes, buffer.unique_read_bytes * factor));
    buffer.unique_written_bytes = std::min(buffer.unique_written_bytes, buffer.l2_write_sectors * factor * 32);
  }
}

double l2_read_bytes(const Case& about) {
  return about.work.total[Work::l2_read_sectors] * 32;
}
double unique_read_bytes(const Case& about) {
  double bytes = 0;
  for (const gpu::BufferWork& buffer : about.work.buffers) bytes += buffer.unique_read_bytes;
  return bytes;
}
Seen above_compulsory(const Case& about) {
  constexpr double kTooMuch = 1.2;
  const double unique = unique_read_bytes(about);
  const double moved = l2_read_bytes(about);
  const double coalescing =
      about.work.total[Work::sectors_ideal] / std::max(1.0, about.work.total[Work::sectors_asked]);
  if (unique <= 0 || moved * std::max(coalescing, 0.5) < kTooMuch * unique) return std::nullopt;
  Evidence evidence{
      {fmt::format("{:.4g} MB are read from beyond the L1, {:.4g} MB of them are different ({:.1f} times)", moved / 1e6,
                   unique / 1e6, moved / unique)},
      {},
      0};
  const auto worst = std::ranges::max_element(about.work.buffers, {}, [](const gpu::BufferWork& buffer) {
    return buffer.l2_read_sectors * 32 - buffer.unique_read_bytes;
  });
  if (worst != about.work.buffers.end())
    evidence.facts.push_back(fmt::format("most by '{}': {:.4g} MB read, {:.4g} MB of them different", worst->name,
                                         worst->l2_read_sectors * 32 / 1e6, worst->unique_read_bytes / 1e6));
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::l2_read_sectors]; });
  return evidence;
}
void compulsory_only(Case& about) {
  for (gpu::BufferWork& buffer : about.work.buffers) {
    buffer.l2_read_sectors = std::min(buffer.l2_read_sectors, buffer.unique_read_bytes / 32);
    buffer.block_fetched_bytes = std::min(buffer.block_fetched_bytes, buffer.fetched_bytes);
    buffer.read_by_all = false;
  }
  about.work.total[Work::l2_read_sectors] =
      std::min(about.work.total[Work::l2_read_sectors], unique_read_bytes(about) / 32);
}

Seen same_sector_twice(const Case& about) {
  const double again = about.work.total[Work::sectors_again_warp] + about.work.total[Work::sectors_again_block];
  const double asked = about.work.total[Work::sectors_asked];
  constexpr double kMany = 0.5;
  if (asked <= 0 || again < kMany * asked) return std::nullopt;
  Evidence evidence{{fmt::format("{} of the sectors are asked for again by the same warp, {} by another warp of the "
                                 "block",
                                 percent(about.work.total[Work::sectors_again_warp] / asked),
                                 percent(about.work.total[Work::sectors_again_block] / asked))},
                    {},
                    0};
  add_line(evidence, about,
           [](const WorkSums& sums) { return sums[Work::sectors_again_warp] + sums[Work::sectors_again_block]; });
  return evidence;
}
void each_sector_once(Case& about) {
  WorkSums& total = about.work.total;
  const double again = total[Work::sectors_again_warp] + total[Work::sectors_again_block];
  const double factor = 1 - again / std::max(1.0, total[Work::sectors_asked]);
  total[Work::l1_wavefronts] *= factor;
  total[Work::lsu] *= factor;
  total[Work::l2_read_sectors] = std::min(total[Work::l2_read_sectors], unique_read_bytes(about) / 32);
}

Seen silent_stores(const Case& about) {
  constexpr double kMany = 0.2;
  const double silent = about.work.total[Work::silent_words];
  const double stored = about.work.total[Work::stored_words];
  if (stored <= 0 || silent < kMany * stored) return std::nullopt;
  Evidence evidence{{fmt::format("{} of the stored words held this value already", percent(silent / stored))}, {}, 0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::silent_words]; });
  return evidence;
}
void no_silent_stores(Case& about) {
  WorkSums& total = about.work.total;
  const double left = 1 - total[Work::silent_words] / std::max(1.0, total[Work::stored_words]);
  const double stores = total[Work::l2_write_sectors] / std::max(1.0, total[Work::sectors_asked]);
  total[Work::l1_wavefronts] *= 1 - stores * (1 - left);
  total[Work::l2_write_sectors] *= left;
}

Seen atomics(const Case& about) {
  constexpr double kMuch = 0.2;
  if (share_of(about, estimate::kAtomics) < kMuch) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} atomics on global memory, {:.0f} of them on one address",
                                 about.work.total[Work::atomics], about.work.hottest_atomics)},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::atomics]; });
  return evidence;
}
void no_atomics(Case& about) {
  about.work.total[Work::l2_write_sectors] -=
      std::min(about.work.total[Work::l2_write_sectors], about.work.total[Work::atomics]);
  about.work.total[Work::atomics] = about.work.hottest_atomics = 0;
}

Seen local_memory(const Case& about) {
  const double local = about.work.total[Work::local_sectors];
  if (local <= 0 && about.spill_bytes <= 0) return std::nullopt;
  Evidence evidence;
  if (local > 0)
    evidence.facts.push_back(
        fmt::format("{:.0f} sectors of local memory: an array whose index the compiler does not "
                    "know, or a call",
                    local));
  if (about.spill_bytes > 0)
    evidence.facts.push_back(fmt::format("{} bytes of spills, by the compiler", about.spill_bytes));
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::local_sectors]; });
  return evidence;
}
void no_local_memory(Case& about) {
  WorkSums& total = about.work.total;
  total[Work::l1_wavefronts] -= std::min(total[Work::l1_wavefronts], total[Work::local_sectors] / 4);
  double local = 0;
  double all = 0;
  for (const LineWork& line : about.work.lines) {
    const double waited = waits(line.sums, {Work::wait_global, Work::wait_async, Work::wait_shared, Work::wait_tensor,
                                            Work::wait_fixed, Work::wait_barrier});
    all += waited + line.sums[Work::issue];
    if (line.sums[Work::local_sectors] > 0) local += waited;
  }
  if (all > 0) scale_chain(about, 1 - local / all);
}

// --- shared memory

Seen bank_conflicts(const Case& about) {
  constexpr double kTolerated = 0.05;
  const double conflicts = about.work.total[Work::shared_conflicts];
  const double wavefronts = about.work.total[Work::shared_wavefronts];
  if (wavefronts <= 0 || conflicts < kTolerated * wavefronts) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} of {:.0f} wavefronts of shared memory are conflicts ({})", conflicts,
                                 wavefronts, percent(conflicts / wavefronts))},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::shared_conflicts]; });
  return evidence;
}
void no_conflicts(Case& about) {
  const double conflicts = about.work.total[Work::shared_conflicts];
  about.work.total[Work::shared_wavefronts] -= conflicts;
  // A conflict delays its own warp as well: a wavefront is a cycle.
  const double of_warp = conflicts / std::max(1.0, static_cast<double>(about.work.blocks) * about.work.warps_per_block);
  const double chain = std::max(1.0, about.work.mean_chain.with_dram);
  scale_chain(about, std::max(0.1, 1 - of_warp / chain));
}

Seen shared_bandwidth(const Case& about) {
  constexpr double kFull = 0.5;
  const double shared = about.work.total[Work::shared_wavefronts] - about.work.total[Work::shared_conflicts];
  const double all = about.work.total[Work::shared_wavefronts] + about.work.total[Work::l1_wavefronts];
  if (share_of(about, estimate::kL1) < kFull || shared < 0.5 * all) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} wavefronts of shared memory without conflicts keep the L1 busy for {} of the "
                                 "time",
                                 shared, percent(share_of(about, estimate::kL1) * shared / all))},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::shared_wavefronts]; });
  return evidence;
}
void half_the_shared_traffic(Case& about) {
  about.work.total[Work::shared_wavefronts] /=
      4;  // larger tiles in registers: each loaded value is used four times as often
  about.work.total[Work::lsu] /= 4;
}

// --- what is computed

// Several buffers are read, each by more than one block or warp: products of matrices, not one long chain on a number.
bool work_on_inputs_is_shared(const Case& about) {
  int shared = 0;
  for (const gpu::BufferWork& buffer : about.work.buffers) {
    if (buffer.asked_sectors * 32 > 4 * buffer.unique_read_bytes && buffer.unique_read_bytes > 0)
      ++shared;
    else if (buffer.block_fetched_bytes > 2 * buffer.fetched_bytes && buffer.fetched_bytes > 0)
      ++shared;
  }
  return shared >= 2;
}
Seen tensor_idle(const Case& about) {
  const gpu::Rates& rates = about.rates();
  const double ridge =
      2 * rates.fma * gpu::kWarpThreads * about.model->sm_count * rates.clock_mhz * 1e6 / (rates.dram_reached * 1e9);
  const double bytes = about.bytes > 0 ? about.bytes : about.estimate.compulsory_bytes;
  if (about.flops <= 0 || bytes <= 0) return std::nullopt;
  if (about.work.tensor_multiply_adds.empty()) {
    // Sums of products that are used again and again: many operations for each byte, nearly all of them fused.
    constexpr double kMatrixLike = 0.5;
    const bool fused = about.work.total[Work::fma] * 2 * gpu::kWarpThreads >= kMatrixLike * about.flops;
    const bool reused = about.flops / bytes > 2 * ridge && work_on_inputs_is_shared(about);
    if (!fused || !reused) return std::nullopt;
    Evidence evidence{
        {fmt::format("{:.3g} GFLOP, {:.0f} for each byte, on the FMA pipe; no matrix instruction is executed",
                     about.flops / 1e9, about.flops / bytes)},
        {},
        0};
    add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::fma]; });
    return evidence;
  }
  const auto sync = about.work.tensor_multiply_adds.find("mma.f16");
  const double group = rates.tensor_rate("wgmma.f16");
  constexpr double kMuch = 0.4;
  if (sync == about.work.tensor_multiply_adds.end() || group <= 0 || share_of(about, estimate::kTensor) < kMuch)
    return std::nullopt;
  return Evidence{{fmt::format("mma.sync reaches {:.0f} of the {:.0f} FLOP per clock and SM that wgmma reaches here",
                               rates.tensor_rate("mma.f16"), group)},
                  {},
                  0};
}
void on_tensor_cores(Case& about) {
  if (about.work.tensor_multiply_adds.empty()) {
    about.work.tensor_multiply_adds["mma.tf32"] = about.flops / 2;
    for (const Work work : {Work::fma, Work::issue, Work::l1_wavefronts, Work::shared_wavefronts, Work::lsu})
      about.work.total[work] /= 16;  // of a fragment each value serves a whole row or column
    scale_chain(about, 1.0 / 8);
    return;
  }
  const double sync = about.work.tensor_multiply_adds["mma.f16"];
  about.work.tensor_multiply_adds.erase("mma.f16");
  about.work.tensor_multiply_adds["wgmma.f16"] += sync;
  about.work.total[Work::shared_wavefronts] /= 2;  // its operands come from shared memory without a register's detour
}

Seen special_functions(const Case& about) {
  constexpr double kFull = 0.5;
  if (share_of(about, estimate::kXu) < kFull) return std::nullopt;
  Evidence evidence{
      {fmt::format("{:.0f} instructions on the special function unit, which takes one in two clocks: {} of "
                   "the time",
                   about.work.total[Work::xu], percent(share_of(about, estimate::kXu)))},
      {},
      0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::xu]; });
  return evidence;
}
void no_special_functions(Case& about) {
  about.work.total[Work::fma] += about.work.total[Work::xu] * 4;  // a polynomial instead
  about.work.total[Work::issue] += about.work.total[Work::xu] * 3;
  about.work.total[Work::xu] = 0;
}

Seen double_precision(const Case& about) {
  constexpr double kMuch = 0.3;
  if (share_of(about, estimate::kFp64) < kMuch) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} instructions in float64, at {:g} of the rate of float32",
                                 about.work.total[Work::fp64], about.rates().fp64 / about.rates().fma)},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::fp64]; });
  return evidence;
}
void single_precision(Case& about) {
  about.work.total[Work::fma] += about.work.total[Work::fp64];
  about.work.total[Work::fp64] = 0;
  scale_chain(about, 0.5);
}

Seen divergence(const Case& about) {
  constexpr double kFew = 24;
  const double lanes = about.work.total[Work::lanes] / std::max(1.0, about.work.total[Work::instructions]);
  if (lanes >= kFew) return std::nullopt;
  Evidence evidence{{fmt::format("{:.1f} of 32 lanes work on average", lanes)}, {}, 0};
  add_line(evidence, about,
           [](const WorkSums& sums) { return gpu::kWarpThreads * sums[Work::instructions] - sums[Work::lanes]; });
  return evidence;
}
void converged(Case& about) {
  WorkSums& total = about.work.total;
  const double factor = total[Work::lanes] / std::max(1.0, gpu::kWarpThreads * total[Work::instructions]);
  for (const Work work : {Work::issue, Work::fma, Work::alu, Work::xu, Work::fp64, Work::lsu}) total[work] *= factor;
  scale_chain(about, factor);
}

Seen address_arithmetic(const Case& about) {
  constexpr double kMuch = 0.35;
  const double share =
      about.work.total[Work::address_instructions] / std::max(1.0, about.work.total[Work::instructions]);
  const double busy = std::max(share_of(about, estimate::kIssue), share_of(about, estimate::kAlu));
  if (share < kMuch || busy < 0.3) return std::nullopt;
  Evidence evidence{{fmt::format("{} of the instructions only make addresses", percent(share))}, {}, 0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::address_instructions]; });
  return evidence;
}
void no_address_arithmetic(Case& about) {
  WorkSums& total = about.work.total;
  const double left = 1 - total[Work::address_instructions] / std::max(1.0, total[Work::instructions]);
  // Divisions and the like weigh more than one instruction, so their share of the slots is larger than of the count.
  for (const Work work : {Work::issue, Work::alu}) total[work] *= left * left;
  total[Work::fma] *= left;
  scale_chain(about, left);
}

// --- waiting

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
  const double waited = about.work.total[Work::wait_barrier] / warps;
  const double chain = std::max(1.0, about.work.mean_chain.with_dram);
  // Without its barriers a warp's loads no longer wait for those before them: the rest of the waiting overlaps too.
  scale_chain(about, std::max(0.05, 1 - (needless ? 2 : 1) * waited / chain));
}

// --- how it was built

Seen debug_build(const Case& about) {
  if (!about.debug_build) return std::nullopt;
  return Evidence{{"the PTX was made for debugging (-G): nothing is optimised, every variable lives in memory"}, {}, 0};
}
void optimised(Case& about) {
  for (double& value : about.work.total.values) value *= 0.2;
  scale_chain(about, 0.2);
}

Seen workspace(const Case& about) {
  if (about.bytes <= 0 || about.argument_bytes <= 2 * about.bytes) return std::nullopt;
  return Evidence{{fmt::format("the kernel's tensors have {:.4g} MB, the problem {:.4g} MB", about.argument_bytes / 1e6,
                               about.bytes / 1e6)},
                  {},
                  0};
}
void no_workspace(Case& about) {
  const double factor = about.bytes / about.argument_bytes;
  for (gpu::BufferWork& buffer : about.work.buffers) {
    buffer.fetched_bytes *= factor;
    buffer.unique_written_bytes *= factor;
  }
}

constexpr std::array kRules = {
    Rule{"debug_build", "Built for debugging", debug_build, optimised, "build without -G and with optimisation"},
    Rule{"not_enough_blocks", "Not enough blocks", not_enough_blocks, enough_blocks,
         "parallelise over the missing axis; split the longest loop over blocks (split-K); persistent blocks for a "
         "ragged "
         "last wave"},
    Rule{"dram_bound", "At the bandwidth of DRAM", dram_bound, without_dram,
         "nothing inside this kernel can help: fuse it with its neighbours, or use a narrower type"},
    Rule{"above_compulsory", "Data is read more often than it must be", above_compulsory, compulsory_only,
         "tile: keep it in shared memory or registers while all who need it use it; order blocks so that neighbours "
         "share"},
    Rule{"uncoalesced", "Accesses to global memory are not coalesced", uncoalesced, coalesced,
         "let neighbouring lanes touch neighbouring words: transpose through shared memory, use vector loads, or map "
         "threads to data another way"},
    Rule{"bank_conflicts", "Bank conflicts in shared memory", bank_conflicts, no_conflicts,
         "pad rows by 4 or 16 bytes, swizzle by 16 bytes, or load with ldmatrix"},
    Rule{"shared_bandwidth", "The bandwidth of shared memory is full", shared_bandwidth, half_the_shared_traffic,
         "larger tiles in registers, so that each value loaded is used more often; wider loads; ldmatrix"},
    Rule{"tensor_idle", "The tensor cores could do this faster", tensor_idle, on_tensor_cores,
         "use matrix instructions: mma on Ampere and Ada, wgmma on Hopper, with a larger N"},
    Rule{"special_functions", "The special function unit is full", special_functions, no_special_functions,
         "exp2 with the scale folded in, a polynomial on the FMA pipe for a share of them, fewer rescalings"},
    Rule{"double_precision", "float64 arithmetic", double_precision, single_precision,
         "float32 where it is accurate enough; look for constants without f and for functions that take double"},
    Rule{"latency", "Latency: warps wait, and nothing is busy", latency, no_latency,
         "more independent work for each warp (unroll, several sums), loads issued earlier (stages), more warps if "
         "registers and shared memory allow"},
    Rule{"local_memory", "Local memory: spills or arrays", local_memory, no_local_memory,
         "smaller tiles or other launch bounds against spills; constant indices (unrolled loops) or shared memory for "
         "arrays"},
    Rule{"divergence", "Lanes of a warp diverge", divergence, converged,
         "sort work so that the lanes of a warp take the same way, or give each case to warps of its own"},
    Rule{"barriers", "Barriers", barriers, no_barriers,
         "drop those that protect nothing; __syncwarp where a warp keeps to itself; named barriers; double buffering"},
    Rule{"atomics", "Atomics on global memory", atomics, no_atomics,
         "reduce in registers, in the warp and in shared memory first; one atomic for each block"},
    Rule{"silent_stores", "Stores that change nothing", silent_stores, no_silent_stores,
         "write once, when the value is final"},
    Rule{"same_sector_twice", "The same data is asked for again and again", same_sector_twice, each_sector_once,
         "keep it in registers or shared memory; wider loads"},
    Rule{"address_arithmetic", "Address arithmetic", address_arithmetic, no_address_arithmetic,
         "divisions out of the loop, 32-bit indices, pointers that are advanced"},
    Rule{"starting_blocks", "Starting blocks is a large part of the time", starting_blocks, few_blocks,
         "more work for each thread, larger blocks, persistent blocks"},
    Rule{"launch", "Most of the time is the launch", launch_bound, without_launch,
         "launch from a CUDA graph, overlap with programmatic dependent launch, fuse with its neighbours"},
    Rule{"workspace", "More device memory than the problem has", workspace, no_workspace,
         "reuse buffers, keep partial results on the chip"},
};

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

}  // namespace assay::advise
