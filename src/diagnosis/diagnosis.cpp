// SPDX-License-Identifier: MIT
#include "diagnosis/diagnosis.hpp"

#include <algorithm>
#include <functional>

namespace assay::diagnosis {
namespace {

constexpr double kFlopOfFma = 2 * gpu::kWarpThreads;

// The share of its time that the launch would take without what the rule takes away.
double share_left(const Case& about, const Rule& rule) {
  Case mended = about;
  rule.mended(mended);
  const estimate::Estimate better =
      estimate::estimate(mended.work, mended.blocks_per_sm, *mended.model, mended.rates());
  return std::min(1.0, better.time_us / about.estimate.time_us);
}

struct Ranked {
  Advice advice;
  bool general;
  bool outside;
  bool accurate;
};

// What the rules see in one kernel. `whole_us`: of the call; `above_floor`: of it, what can go at most.
void find(const Case& about, double whole_us, double above_floor, std::vector<Ranked>& found) {
  constexpr double kWorthSaying = 0.02;  // of the time
  const double own = std::min(above_floor, std::max(0.0, about.time_us - floor_of(about).time_us));
  for (const Rule& rule : rules()) {
    std::optional<Evidence> evidence = rule.seen(about);
    if (!evidence) continue;
    const bool accurate = !evidence->changes_results;
    const bool anyway = evidence->worth_saying;
    const double gain = about.time_us * (1 - share_left(about, rule)) + evidence->unseen_us;
    Advice advice{std::string(rule.name), std::string(rule.title),  *std::move(evidence),
                  std::min(gain, own),    std::string(rule.remedy), about.stage};
    if (!anyway && advice.cap_us < kWorthSaying * whole_us) continue;
    found.push_back({std::move(advice), rule.general, rule.outside, accurate});
  }
}

}  // namespace

double must_move(const Case& about) {
  return about.bytes > 0 ? std::min(about.bytes, about.estimate.compulsory_bytes) : about.estimate.compulsory_bytes;
}

double touched_bytes(const estimate::Estimate& estimate, const gpu::LaunchWork& work) {
  constexpr double kSector = 32;
  const double asked = work.total[gpu::Work::sectors_ideal] * kSector;
  return asked > 0 ? std::min(asked, estimate.compulsory_bytes) : estimate.compulsory_bytes;
}

double executed_flops(const gpu::LaunchWork& work) {
  double flops = kFlopOfFma * (work.total[gpu::Work::fma] + work.total[gpu::Work::fp64]);
  for (const auto& [instruction, multiply_adds] : work.tensor_multiply_adds) flops += 2 * multiply_adds;
  return flops;
}

Floor floor_of(const Case& about) {
  const gpu::Rates& rates = about.floor_rates();
  Floor floor;
  const auto consider = [&](double time_us, const std::string& by) {
    if (time_us > floor.time_us) floor = {time_us, by, std::move(floor.alone)};
    if (time_us > 0) floor.alone.emplace_back(by, time_us);
  };
  consider(rates.launch_floor_us, "launch");
  consider(must_move(about) / rates.dram_peak / 1e3, "bytes that must move");
  const double per_us = about.model->boost_clock_mhz * about.model->sm_count;
  // A problem that claims more operations than were needed here is none that needs them.
  const double flops = std::min(about.flops, executed_flops(about.work) + about.other_flops);
  if (about.work.tensor_multiply_adds.empty()) {
    // float64 is a choice of the kernel, unless the problem is given in it.
    const bool in_f64 = about.float64 && about.work.total[gpu::Work::fp64] > about.work.total[gpu::Work::fma];
    consider(flops / (kFlopOfFma * (in_f64 ? rates.fp64 : rates.fma) * per_us), in_f64 ? "FP64" : "FMA");
  } else {
    const auto most =
        std::ranges::max_element(about.work.tensor_multiply_adds, {}, &std::pair<const std::string, double>::second);
    if (const double rate = rates.tensor_rate(most->first); rate > 0) consider(flops / (rate * per_us), most->first);
  }
  const gpu::WorkSums& total = about.work.total;
  const double special = total[gpu::Work::xu] - total[gpu::Work::xu_float64] - total[gpu::Work::xu_conversions];
  if (special > 0 && rates.xu > 0) floor.alone.emplace_back("special functions", special / (rates.xu * per_us));
  std::ranges::stable_sort(floor.alone, std::greater(), &std::pair<std::string, double>::second);
  return floor;
}

Diagnosis diagnose(const Case& about) {
  return diagnose(about, std::span(&about, 1));
}

Diagnosis diagnose(const Case& whole, std::span<const Case> stages) {
  Diagnosis result;
  result.floor = floor_of(whole);
  result.time_us = whole.time_us;
  result.measured = whole.measured;
  const double above_floor = std::max(0.0, whole.time_us - result.floor.time_us);
  std::vector<Ranked> found;
  for (const Case& stage : stages) find(stage, whole.time_us, above_floor, found);
  constexpr double kNearly = 0.7;
  std::ranges::stable_sort(found, [](const Ranked& one, const Ranked& other) {
    if (one.accurate != other.accurate) return one.accurate;
    const auto weight = [](const Ranked& each) { return (each.general ? kNearly : 1) * each.advice.cap_us; };
    return weight(one) > weight(other);
  });
  constexpr double kWorthDoing = 0.05;  // of the time
  const auto outside = std::ranges::find_if(found, &Ranked::outside);
  std::stable_partition(outside, found.end(), [&](const Ranked& each) {
    return each.accurate && !each.general && !each.outside && each.advice.cap_us >= kWorthDoing * whole.time_us;
  });
  for (Ranked& each : found) result.advice.push_back(std::move(each.advice));
  return result;
}

}  // namespace assay::diagnosis
