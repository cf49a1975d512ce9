// SPDX-License-Identifier: MIT
// Rules about global, local and shared memory.
#include "diagnosis/rule_parts.hpp"
#include "diagnosis/rules.hpp"

namespace assay::diagnosis {

Seen dram_bound(const Case& about) {
  constexpr double kFull = 0.8;
  const double bytes = must_move(about);
  const double floor = bytes / about.rates().dram_reached / 1e3;
  if (floor < kFull * (about.time_us - about.rates().launch_us)) return std::nullopt;
  return Evidence{{fmt::format("{:.4g} MB must move once; at {:.0f} GB/s that takes {:.3g} us, {} of the time",
                               bytes / 1e6, about.rates().dram_reached, floor, percent(floor / about.time_us))},
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
// Sectors that reach the L2 where each line asks for no more than its bytes fill: what the L1 has kept stays there.
static double l2_sectors_if_coalesced(const Case& about) {
  double sectors = 0;
  for (const LineWork& line : about.work.lines) {
    const double now = line.sums[Work::l2_read_sectors] + line.sums[Work::l2_write_sectors];
    sectors += std::min(now, line.sums[Work::sectors_ideal]);
  }
  return sectors;
}
void coalesced(Case& about) {
  WorkSums& total = about.work.total;
  const double asked = total[Work::sectors_ideal] / std::max(1.0, total[Work::sectors_asked]);
  const double l2_now = total[Work::l2_read_sectors] + total[Work::l2_write_sectors];
  const double l2 = std::min(1.0, l2_sectors_if_coalesced(about) / std::max(1.0, l2_now));
  double different = 0;  // bytes, in whole sectors
  for (const gpu::BufferWork& buffer : about.work.buffers)
    different += buffer.unique_read_bytes + buffer.unique_written_bytes;
  const double used = std::min(1.0, total[Work::sectors_ideal] * 32 / std::max(1.0, different));
  // Each line of a request delays its own warp by a cycle.
  const double warps = std::max(1.0, static_cast<double>(about.work.blocks) * about.work.warps_per_block);
  const double spared = total[Work::l1_wavefronts] * (1 - asked) / warps;
  shorten_chain(about, std::min(0.9, spared / std::max(1.0, about.work.mean_chain.with_dram)));
  total[Work::l1_wavefronts] *= asked;
  for (const Work work : {Work::l2_read_sectors, Work::l2_write_sectors}) total[work] *= l2;
  total[Work::partial_sectors] = 0;  // neighbours write a sector together
  for (gpu::BufferWork& buffer : about.work.buffers) {
    buffer.l2_read_sectors *= l2;
    buffer.block_fetched_bytes *= used;
    buffer.fetched_bytes *= used;
    buffer.unique_written_bytes *= used;
  }
}

static double l2_read_bytes(const Case& about) {
  return about.work.total[Work::l2_read_sectors] * 32;
}
static double unique_read_bytes(const Case& about) {
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
  settle_chain(about);
  for (gpu::BufferWork& buffer : about.work.buffers) {
    buffer.l2_read_sectors = std::min(buffer.l2_read_sectors, buffer.unique_read_bytes / 32);
    buffer.block_fetched_bytes = std::min(buffer.block_fetched_bytes, buffer.fetched_bytes);
    buffer.read_by_all = false;
  }
  about.work.total[Work::l2_read_sectors] =
      std::min(about.work.total[Work::l2_read_sectors], unique_read_bytes(about) / 32);
}

// Of accesses that are not coalesced each takes a piece of a sector: they ask again for the rest of it, and that is the
// mapping's fault.
static bool pieces_of_sectors(const Case& about) {
  const double asked = about.work.total[Work::sectors_asked];
  const double ideal = about.work.total[Work::sectors_ideal];
  constexpr double kMany = 0.5;
  return asked >= 1.25 * ideal && ideal - unique_read_bytes(about) / 32 < kMany * ideal;
}
Seen same_sector_twice(const Case& about) {
  const double again = about.work.total[Work::sectors_again_warp] + about.work.total[Work::sectors_again_block];
  const double asked = about.work.total[Work::sectors_asked];
  constexpr double kMany = 0.5;
  if (asked <= 0 || again < kMany * asked || pieces_of_sectors(about)) return std::nullopt;
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
// What was asked for again is in registers or shared memory: a warp waits for it no more.
void each_sector_once(Case& about) {
  WorkSums& total = about.work.total;
  const double again = total[Work::sectors_again_warp] + total[Work::sectors_again_block];
  const double factor = 1 - again / std::max(1.0, total[Work::sectors_asked]);
  settle_chain(about);
  shorten_chain(about, (1 - factor) * share_of_waiting(about, total[Work::wait_global]));
  total[Work::l1_wavefronts] *= factor;
  total[Work::lsu] -= (1 - factor) * total[Work::lsu_global];
  total[Work::l2_read_sectors] = std::min(total[Work::l2_read_sectors], unique_read_bytes(about) / 32);
}

Seen narrow_accesses(const Case& about) {
  constexpr double kMany = 0.3;
  constexpr double kBusy = 0.4;
  const WorkSums& total = about.work.total;
  const double busy =
      std::max({share_of(about, estimate::kLsu), share_of(about, estimate::kL1), share_of(about, estimate::kIssue)});
  if (total[Work::narrow_accesses] < kMany * std::max(1.0, total[Work::lsu_global]) || busy < kBusy)
    return std::nullopt;
  const double bytes = 16 * (1 - total[Work::narrow_spared] / total[Work::narrow_accesses]);
  Evidence evidence{{fmt::format("{:.0f} of {:.0f} requests to global memory take {:.2g} bytes for each lane, side by "
                                 "side; 16 are possible",
                                 total[Work::narrow_accesses], total[Work::lsu_global], bytes)},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::narrow_accesses]; });
  return evidence;
}
void wide_accesses(Case& about) {
  WorkSums& total = about.work.total;
  const double spared = total[Work::narrow_spared];
  shorten_chain(about,
                share_of_waiting(about, total[Work::wait_global]) * spared / std::max(1.0, total[Work::lsu_global]));
  for (const Work work : {Work::l1_wavefronts, Work::lsu, Work::lsu_global, Work::issue})
    total[work] -= std::min(total[work], spared);
}

// Wavefronts of atomics on shared memory, in proportion to all that the L1 does.
static double shared_atomics(const Case& about) {
  const WorkSums& total = about.work.total;
  const double all = total[Work::shared_wavefronts] + total[Work::l1_wavefronts];
  return all > 0 ? total[Work::shared_atomics] / all : 0;
}
Seen atomics(const Case& about) {
  constexpr double kMuch = 0.2;
  if (const double share = share_of(about, estimate::kL1) * shared_atomics(about); share >= kMuch) {
    Evidence evidence{{fmt::format("{:.0f} wavefronts of atomics on shared memory keep the L1 busy for {} of the time",
                                   about.work.total[Work::shared_atomics], percent(share))},
                      {},
                      0};
    add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::shared_atomics]; });
    return evidence;
  }
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
  const double shared = about.work.total[Work::shared_atomics];
  about.work.total[Work::shared_wavefronts] -= shared;
  about.work.total[Work::shared_atomics] = 0;
  shorten_chain(about, 0.9 * share_of_waiting(about, shared));  // a wavefront delays its own warp by a cycle
}

// How often a warp executes an instruction of the program, on average.
static double executions(const Case& about) {
  const double warps = std::max(1.0, static_cast<double>(about.work.blocks) * about.work.warps_per_block);
  return about.work.total[Work::instructions] / std::max(1.0, about.work.total[Work::sites]) / warps;
}
// Spills are ptxas's, and not in the PTX that was counted. A spilled word is a wavefront of the L1 for each warp, as
// often as instructions are executed on average.
static double spilling_us(const Case& about) {
  constexpr double kWord = 4;
  const double warps = static_cast<double>(about.work.blocks) * about.work.warps_per_block;
  const double wavefronts = static_cast<double>(about.spill_bytes) / kWord * executions(about) * warps;
  const double sms = std::min(static_cast<double>(about.model->sm_count), static_cast<double>(about.work.blocks));
  return wavefronts / about.rates().l1_wavefronts / std::max(1.0, sms) / about.rates().clock_mhz;
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
  if (about.spill_bytes > 0) {
    evidence.facts.push_back(
        fmt::format("{} bytes of spills, by the compiler; each executed {:.0f} times by a warp "
                    "(estimated)",
                    about.spill_bytes, executions(about)));
    evidence.unseen_us = spilling_us(about);
  }
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::local_sectors]; });
  return evidence;
}
void no_local_memory(Case& about) {
  WorkSums& total = about.work.total;
  total[Work::l1_wavefronts] -= std::min(total[Work::l1_wavefronts], total[Work::local_sectors] / 4);
  total[Work::local_write_sectors] = 0;
  total[Work::local_partial_sectors] = 0;
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
  shorten_chain(about, std::min(0.9, of_warp / chain));
}

Seen shared_bandwidth(const Case& about) {
  constexpr double kFull = 0.5;
  const WorkSums& total = about.work.total;
  const double shared = total[Work::shared_wavefronts] - total[Work::shared_conflicts] - total[Work::shared_atomics];
  const double all = total[Work::shared_wavefronts] + total[Work::l1_wavefronts];
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
  constexpr double kUses = 4;  // larger tiles in registers: each loaded value is used so many times as often
  WorkSums& total = about.work.total;
  const double shared = std::max(0.0, total[Work::lsu] - total[Work::lsu_global] - total[Work::shuffles]);
  total[Work::shared_wavefronts] /= kUses;
  total[Work::lsu] -= (1 - 1 / kUses) * shared;
}

}  // namespace assay::diagnosis
