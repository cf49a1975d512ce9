// SPDX-License-Identifier: MIT
// Rules about what is computed.
#include "diagnosis/rule_parts.hpp"
#include "diagnosis/rules.hpp"

namespace assay::diagnosis {

// Several buffers are read, each by more than one block or warp: products of matrices, not one long chain on a number.
static bool work_on_inputs_is_shared(const Case& about) {
  int shared = 0;
  for (const gpu::BufferWork& buffer : about.work.buffers) {
    const bool by_warps = buffer.asked_sectors * 32 > 4 * buffer.unique_read_bytes && buffer.unique_read_bytes > 0;
    const bool by_blocks = buffer.block_fetched_bytes > 2 * buffer.fetched_bytes && buffer.fetched_bytes > 0;
    if (by_warps || by_blocks) ++shared;
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
    if (!about.narrow_inputs) {
      evidence.facts.emplace_back("the inputs are wider than tensor cores take them: TF32 keeps 10 bits of a mantissa");
      evidence.changes_results = true;
    }
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
  const auto functions = [](const WorkSums& sums) {
    return sums[Work::xu] - sums[Work::xu_float64] - sums[Work::xu_conversions];
  };
  const double own = functions(about.work.total);
  const double share = share_of(about, estimate::kXu) * own / std::max(1.0, about.work.total[Work::xu]);
  if (share < kFull) return std::nullopt;
  Evidence evidence{
      {fmt::format("{:.0f} instructions on the special function unit, which takes one in two clocks: {} of "
                   "the time",
                   own, percent(share))},
      {},
      0};
  add_line(evidence, about, functions);
  return evidence;
}
// A polynomial on the FMA pipe for the share of them that makes both equally busy.
void no_special_functions(Case& about) {
  constexpr double kFma = 4, kIssue = 3;  // instead of one special function
  WorkSums& total = about.work.total;
  const gpu::Rates& rates = about.rates();
  const double special = total[Work::xu] / rates.xu;
  const double issue = total[Work::issue] / rates.issue;
  const double added = kIssue * total[Work::xu] / rates.issue;
  const double share = std::clamp((special - issue) / (special + added), 0.0, 1.0);
  total[Work::fma] += kFma * share * total[Work::xu];
  total[Work::issue] += kIssue * share * total[Work::xu];
  total[Work::xu] *= 1 - share;
}

Seen double_precision(const Case& about) {
  constexpr double kMuch = 0.1;
  const WorkSums& total = about.work.total;
  const double converting = share_of(about, estimate::kXu) * total[Work::xu_float64] / std::max(1.0, total[Work::xu]);
  if (std::max(share_of(about, estimate::kFp64), converting) < kMuch) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} instructions in float64, at {:g} of the rate of float32", total[Work::fp64],
                                 about.rates().fp64 / about.rates().fma)},
                    {},
                    0};
  if (total[Work::xu_float64] > 0)
    evidence.facts.push_back(
        fmt::format("{:.0f} conversions and functions of float64 keep the special function unit busy for {} of the "
                    "time",
                    total[Work::xu_float64], percent(converting)));
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::fp64] + sums[Work::xu_float64]; });
  return evidence;
}
void single_precision(Case& about) {
  WorkSums& total = about.work.total;
  total[Work::fma] += total[Work::fp64];
  total[Work::fp64] = 0;
  total[Work::xu] -= total[Work::xu_float64];
  total[Work::issue] -= std::min(total[Work::issue], total[Work::xu_float64]);
  total[Work::xu_float64] = 0;
  scale_chain(about, 0.5);
}

Seen conversions(const Case& about) {
  constexpr double kFull = 0.3;  // of the time, on the special function unit
  constexpr double kMuch = 0.35;
  constexpr double kBusy = 0.5;
  const WorkSums& total = about.work.total;
  const double on_xu = share_of(about, estimate::kXu) * total[Work::xu_conversions] / std::max(1.0, total[Work::xu]);
  const double slots = total[Work::conversion_issue] / std::max(1.0, total[Work::issue]);
  const double busy = std::max(share_of(about, estimate::kIssue), share_of(about, estimate::kAlu));
  if (on_xu < kFull && (slots < kMuch || busy < kBusy)) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} conversions from or to floating point: {} of the issue slots",
                                 total[Work::conversion_issue], percent(slots))},
                    {},
                    0};
  if (on_xu >= kFull)
    evidence.facts.push_back(fmt::format("{:.0f} of them keep the special function unit busy for {} of the time",
                                         total[Work::xu_conversions], percent(on_xu)));
  add_line(evidence, about,
           [](const WorkSums& sums) { return sums[Work::conversion_issue] + sums[Work::xu_conversions]; });
  return evidence;
}
void no_conversions(Case& about) {
  WorkSums& total = about.work.total;
  const double left = 1 - std::min(1.0, total[Work::conversion_issue] / std::max(1.0, total[Work::issue]));
  const double elsewhere = std::max(0.0, total[Work::conversion_issue] - total[Work::xu_conversions]);
  total[Work::xu] -= std::min(total[Work::xu], total[Work::xu_conversions]);
  total[Work::alu] -= std::min(total[Work::alu], elsewhere);
  total[Work::issue] *= left;
  scale_chain(about, left);
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
  // Lanes that make their accesses together make them with fewer requests, each of more words.
  for (const Work work : {Work::l1_wavefronts, Work::shared_wavefronts}) {
    double left = 0;
    for (const LineWork& line : about.work.lines) {
      const double executed = gpu::kWarpThreads * line.sums[Work::instructions];
      left += line.sums[work] * (executed > 0 ? std::min(1.0, line.sums[Work::lanes] / executed) : 1);
    }
    total[work] = std::min(total[work], left);
  }
  scale_chain(about, factor);
}

Seen address_arithmetic(const Case& about) {
  constexpr double kMuch = 0.35;
  const double share = about.work.total[Work::address_issue] / std::max(1.0, about.work.total[Work::issue]);
  const double busy = std::max(share_of(about, estimate::kIssue), share_of(about, estimate::kAlu));
  if (share < kMuch || busy < 0.3) return std::nullopt;
  Evidence evidence{{fmt::format("{} of the issue slots only make addresses", percent(share))}, {}, 0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::address_issue]; });
  return evidence;
}
void no_address_arithmetic(Case& about) {
  WorkSums& total = about.work.total;
  const double left = 1 - total[Work::address_issue] / std::max(1.0, total[Work::issue]);
  for (const Work work : {Work::issue, Work::alu, Work::fma}) total[work] *= left;
  scale_chain(about, left);
}

Seen integer_work(const Case& about) {
  constexpr double kMuch = 0.35;
  constexpr double kBusy = 0.5;
  const double share = about.work.total[Work::integer_issue] / std::max(1.0, about.work.total[Work::issue]);
  const double busy =
      std::max({share_of(about, estimate::kIssue), share_of(about, estimate::kAlu), share_of(about, estimate::kFma)});
  if (share < kMuch || busy < kBusy) return std::nullopt;
  Evidence evidence{{fmt::format("{} of the issue slots are integer arithmetic and comparisons that make no addresses; "
                                 "issue slots or their pipes are busy for {} of the time",
                                 percent(share), percent(busy))},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::integer_issue]; });
  return evidence;
}
void no_integer_work(Case& about) {
  WorkSums& total = about.work.total;
  const double left = 1 - total[Work::integer_issue] / std::max(1.0, total[Work::issue]);
  const double floating = total[Work::float_issue] + total[Work::conversion_issue];
  const double of_pipes = std::max(1.0, total[Work::integer_issue] + total[Work::address_issue] + floating);
  for (const Work work : {Work::alu, Work::fma})
    total[work] *= std::max(0.0, 1 - total[Work::integer_issue] / of_pipes);
  total[Work::issue] *= left;
  scale_chain(about, left);
}

// Instructions that the problem's operations need at most: one each, fused with nothing.
static double instructions_needed(const Case& about) {
  return about.flops / gpu::kWarpThreads;
}
Seen excess_arithmetic(const Case& about) {
  constexpr double kTimes = 2;
  constexpr double kMuch = 0.35;
  constexpr double kBusy = 0.5;
  const WorkSums& total = about.work.total;
  const double needed = instructions_needed(about);
  const double busy = std::max(share_of(about, estimate::kIssue), share_of(about, estimate::kFma));
  if (needed <= 0 || total[Work::float_issue] < kTimes * needed || busy < kBusy ||
      total[Work::float_issue] - needed < kMuch * total[Work::issue])
    return std::nullopt;
  if (special_functions(about)) return std::nullopt;  // the rest is what stands around them
  Evidence evidence{{fmt::format("{:.0f} issue slots of floating-point arithmetic, {:.1f} times what the problem's "
                                 "{:.3g} GFLOP need without any fused multiply-add",
                                 total[Work::float_issue], total[Work::float_issue] / needed, about.flops / 1e9)},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::float_issue]; });
  return evidence;
}
void needed_arithmetic(Case& about) {
  WorkSums& total = about.work.total;
  const double spared = total[Work::float_issue] - instructions_needed(about);
  const double left = 1 - spared / std::max(1.0, total[Work::issue]);
  const double arithmetic = 1 - spared / std::max(1.0, total[Work::float_issue]);
  for (const Work work : {Work::fma, Work::xu}) total[work] *= arithmetic;
  total[Work::issue] *= left;
  scale_chain(about, left);
}

Seen shuffles(const Case& about) {
  constexpr double kMuch = 0.3;
  const double of_pipe = about.work.total[Work::shuffles] / std::max(1.0, about.work.total[Work::lsu]);
  const double share = share_of(about, estimate::kLsu) * of_pipe;
  if (share < kMuch) return std::nullopt;
  Evidence evidence{{fmt::format("{:.0f} shuffles and votes keep the load and store unit busy for {} of the time",
                                 about.work.total[Work::shuffles], percent(share))},
                    {},
                    0};
  add_line(evidence, about, [](const WorkSums& sums) { return sums[Work::shuffles]; });
  return evidence;
}
void no_shuffles(Case& about) {
  WorkSums& total = about.work.total;
  total[Work::lsu] -= total[Work::shuffles];
  total[Work::issue] -= total[Work::shuffles];
  shorten_chain(about, share_of_waiting(about, total[Work::wait_shared]));
}

}  // namespace assay::diagnosis
