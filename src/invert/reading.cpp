// SPDX-License-Identifier: MIT
#include "invert/reading.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <span>

namespace assay::invert {
namespace {

constexpr double kMuch = 0.05;  // of the time

struct About {
  std::string_view resource;
  std::string_view remedy;
  std::array<std::string_view, 4> rules;    // of `diagnose`
  std::array<std::string_view, 2> refines;  // it is a cause of what these cost: where it explains half, it comes first
  bool ranked = true;
};

constexpr std::array kAbout = {
    About{"special functions",
          "exp2 with the scale folded in, a polynomial on the FMA pipe for a share, fewer of them",
          {"special_functions"},
          {}},
    About{"FMA and issue slots",
          "fewer instructions for each element: fused operations, wider types, less unrolled overhead",
          {"tensor_idle", "excess_arithmetic"},
          {}},
    About{"ALU and issue slots",
          "fewer instructions for each element: simpler indices, masks only at the edges",
          {"address_arithmetic", "integer_work"},
          {}},
    About{"tensor cores",
          "fewer or narrower products; wgmma instead of mma on Hopper; larger tiles",
          {"tensor_idle"},
          {}},
    About{
        "shared memory reads", "larger tiles in registers, ldmatrix, wider loads", {"shared_bandwidth", "latency"}, {}},
    About{"shared memory writes", "wider stores, fewer passes through shared memory", {"shared_bandwidth"}, {}},
    About{"bank conflicts",
          "pad rows by 4 or 16 bytes, swizzle by 16 bytes, ldmatrix",
          {"bank_conflicts"},
          {"shared memory reads", "shared memory writes"}},
    About{"global reads",
          "read less: tile in shared memory, fuse, narrower types; more loads in flight",
          {"dram_bound", "above_compulsory", "same_sector_twice", "latency"},
          {}},
    About{"global writes",
          "write less: fuse, narrower types, write once when the value is final",
          {"dram_bound", "silent_stores", "overwritten_stores"},
          {}},
    About{"coalescing",
          "let neighbouring lanes touch neighbouring words; transpose through shared memory; vector accesses",
          {"uncoalesced", "same_sector_twice", "narrow_accesses"},
          {"global reads", "global writes"}},
    About{"staging", "shared memory is worth what it costs: keep it", {}, {}},
    About{"asynchronous copies", "more stages, larger copies, multicast", {"latency", "dram_bound"}, {}},
    About{"barriers",
          "drop those that protect nothing; __syncwarp; named barriers; double buffering",
          {"barriers", "uneven_warps"},
          {}},
    About{"divergence", "sort work so that lanes of a warp go the same way; one warp, one case", {"divergence"}, {}},
    About{"registers and local memory",
          "smaller tiles, other launch bounds, constant indices, shared memory for arrays",
          {"local_memory"},
          {}},
    About{"occupancy",
          "the warps are needed: do not spend registers or shared memory that cost a block",
          {"latency"},
          {}},
    About{"launch and blocks",
          "more work for each block, fewer and larger blocks, persistent blocks, CUDA graphs",
          {"starting_blocks", "launch"},
          {}},
    About{"block order", "the order earns locality in the L2: keep it", {"above_compulsory"}, {}},
    About{"caches across calls", "what the call before leaves in the L2 is used", {}, {}, false},
    About{"atomics",
          "reduce in registers, in the warp and in shared memory first; one atomic for each block",
          {"atomics"},
          {}},
    About{"float64", "float32 where it is accurate enough; constants with f", {"double_precision"}, {}},
    About{"code size", "less unrolling", {}, {}},
    About{"idle SMs",
          "parallelise over a further axis, split the longest loop over blocks",
          {"not_enough_blocks", "uneven_blocks"},
          {}},
    About{"shuffles",
          "fewer steps between lanes: more work for each lane first, shared memory for long ways",
          {"shuffles", "latency"},
          {}},
    About{"conversions", "convert once, keep data in the type of its use", {"conversions", "narrow_accesses"}, {}},
    About{"address arithmetic",
          "divisions out of the loop, 32-bit indices, pointers that are advanced",
          {"address_arithmetic"},
          {}},
    About{
        "integer divisions",
        "out of the loop; by a constant, or times a reciprocal; indices that count up instead; masks for powers of two",
        {"integer_work", "address_arithmetic"},
        {}},
    About{"loop", "", {}, {}, false},
    About{"bounds checks", "whole tiles without checks, a ragged one apart", {}, {}},
};

const About* about(std::string_view resource) {
  const auto found = std::ranges::find(kAbout, resource, &About::resource);
  return found == kAbout.end() ? nullptr : &*found;
}

bool counts(const Effect& effect) {
  return effect.state == State::ranked && effect.ratio.has_value();
}

void take_gain(ResourceReading& reading, double gain, double low, double high, const std::string& row) {
  if (reading.gain && *reading.gain >= gain) return;
  reading.gain = gain;
  reading.gain_low = low;
  reading.gain_high = high;
  reading.gain_by = row;
}

void take(ResourceReading& reading, const Row& row, const Effect& effect, double least) {
  const double ratio = *effect.ratio;
  const bool measured = effect.high > 0;
  if (row.name == "nothing_left") {
    // What is left when all else is free is the cost of the launch.
    take_gain(reading, ratio, measured ? effect.low : ratio, measured ? effect.high : ratio, effect.row);
    return;
  }
  if (row.name == "more_blocks") {
    // The same work over as many more blocks would take this much less.
    const double times = 1.0 + effect.dose;
    take_gain(reading, 1 - ratio / times, 1 - (measured ? effect.high : ratio) / times,
              1 - (measured ? effect.low : ratio) / times, effect.row);
    return;
  }
  if (row.kind == Kind::ablation) {
    take_gain(reading, 1 - ratio, 1 - (measured ? effect.high : ratio), 1 - (measured ? effect.low : ratio),
              effect.row);
    return;
  }
  const double cost = ratio - 1;
  const bool first = effect.dose == row.doses.front();
  if (first && (!reading.cost_per_dose || cost > *reading.cost_per_dose)) {
    reading.cost_per_dose = cost;
    reading.cost_by = effect.row;
    reading.slack = 0;
  }
  if (reading.cost_by == effect.row && cost <= least) reading.slack = std::max(reading.slack.value_or(0), effect.dose);
}

Verdict verdict_of(const ResourceReading& reading, double least) {
  const bool gains = reading.gain && *reading.gain > least;
  // A single cause, taken away: that more of it costs little shows only that there is enough of it already.
  static constexpr std::array<std::string_view, 7> kCauses = {
      "bank conflicts", "coalescing",        "divergence", "float64", "registers and local memory",
      "atomics",        "address arithmetic"};
  if (gains && std::ranges::find(kCauses, reading.resource) != kCauses.end()) return Verdict::bottleneck;
  const bool costs = reading.cost_per_dose && *reading.cost_per_dose > least;
  if (!reading.gain && !reading.cost_per_dose) return Verdict::not_known;
  if (gains && (costs || !reading.cost_per_dose)) return Verdict::bottleneck;
  if (gains) return Verdict::latency;
  return costs ? Verdict::hidden : Verdict::slack;
}

// An empty kernel shows what launch and blocks take alone; much of that overlaps with work. Where blocks could be
// halved, what twice as many cost is what they really cost.
void limit_launch(std::vector<ResourceReading>& resources, const std::vector<Effect>& effects) {
  const auto launch = std::ranges::find(resources, "launch and blocks", &ResourceReading::resource);
  const auto halved = std::ranges::find_if(effects, [](const Effect& effect) {
    return effect.row == "smaller_blocks" && effect.dose == 1 && counts(effect);
  });
  if (launch == resources.end() || !launch->gain || halved == effects.end()) return;
  const double cost = std::max(0.0, *halved->ratio - 1);
  if (cost >= *launch->gain) return;
  launch->gain = cost;
  launch->gain_low = halved->high > 0 ? halved->low - 1 : cost;
  launch->gain_high = halved->high > 0 ? halved->high - 1 : cost;
}

// Causes before what they cost, else what gains most.
void rank(std::vector<ResourceReading>& resources) {
  const auto gain_of = [&](std::string_view name) {
    const auto found = std::ranges::find(resources, name, &ResourceReading::resource);
    return found == resources.end() ? 0.0 : found->gain.value_or(0);
  };
  double most = 0;
  for (const ResourceReading& each : resources) most = std::max(most, each.ranked ? each.gain.value_or(0) : 0);
  std::map<std::string, double> key;
  for (const ResourceReading& each : resources) {
    double value = each.ranked ? each.gain.value_or(-1) : -2;
    constexpr double kExplains = 0.5;
    // An idle SM makes everything that a block does cost more than it must.
    if (each.resource == "idle SMs" && each.gain.value_or(0) > kMuch && *each.gain >= kExplains * most)
      value = 1 + *each.gain;
    for (const std::string_view general : about(each.resource)->refines) {
      const double whole = general.empty() ? 0 : gain_of(general);
      if (each.ranked && each.gain && *each.gain >= kExplains * whole && *each.gain > kMuch)
        value = std::max(value, whole + 1e-6);
    }
    key[each.resource] = value;
  }
  std::ranges::stable_sort(resources, std::greater(), [&](const ResourceReading& each) { return key[each.resource]; });
}

}  // namespace

std::string_view to_string(State state) {
  switch (state) {
    case State::ranked:
      return "ranked";
    case State::confounded:
      return "confounded";
    case State::not_proved:
      return "not proved";
    case State::failed:
      return "failed";
    case State::not_applicable:
      return "not applicable";
    case State::not_timed:
      return "not timed";
    case State::not_tried:
      return "not tried";
  }
  return "";
}

std::optional<State> state_named(std::string_view name) {
  for (const State state : {State::ranked, State::confounded, State::not_proved, State::failed, State::not_applicable,
                            State::not_timed, State::not_tried}) {
    if (to_string(state) == name) return state;
  }
  return std::nullopt;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::bottleneck:
      return "bottleneck";
    case Verdict::hidden:
      return "hidden";
    case Verdict::slack:
      return "slack";
    case Verdict::latency:
      return "latency";
    case Verdict::not_known:
      return "not known";
  }
  return "";
}

Reading read(const std::vector<Effect>& effects, double noise) {
  const double least = std::max(kMuch, 3 * noise);
  Reading reading;
  for (const Effect& effect : effects) {
    const Row* row = find_row(effect.row);
    if (row == nullptr || !counts(effect)) continue;
    auto found = std::ranges::find(reading.resources, row->resource, &ResourceReading::resource);
    if (found == reading.resources.end()) {
      const About* known = about(row->resource);
      ResourceReading fresh;
      fresh.resource = row->resource;
      fresh.ranked = known->ranked;
      fresh.remedy = known->remedy;
      for (const std::string_view rule : known->rules) {
        if (!rule.empty()) fresh.rules.emplace_back(rule);
      }
      reading.resources.push_back(std::move(fresh));
      found = reading.resources.end() - 1;
    }
    take(*found, *row, effect, least);
  }
  limit_launch(reading.resources, effects);
  size_t gaining = 0;
  bool any_costs = false;
  for (ResourceReading& each : reading.resources) {
    each.verdict = verdict_of(each, least);
    // Idle SMs are free for everybody: that more blocks cost nothing is the finding.
    if (each.resource == "idle SMs")
      each.verdict = each.gain.value_or(0) > least ? Verdict::bottleneck : Verdict::slack;
    if (!each.ranked || each.resource == "idle SMs" || each.resource == "launch and blocks") continue;
    gaining += each.gain.value_or(0) > least || each.resource == "loop" ? 1 : 0;
    // What takes a service away, as shared memory or occupancy, costs whether a pipe is full or not.
    const Row* by = find_row(each.cost_by);
    const bool adds_work = by != nullptr && by->name.starts_with("extra_");
    any_costs = any_costs || (adds_work && each.cost_per_dose.value_or(0) > least);
  }
  rank(reading.resources);
  const ResourceReading* first = nullptr;
  for (const ResourceReading& each : reading.resources) {
    if (first == nullptr && each.ranked && each.gain.value_or(0) > least) first = &each;
  }
  const auto loop = std::ranges::find(reading.resources, "loop", &ResourceReading::resource);
  const bool loop_gains = loop != reading.resources.end() && loop->gain.value_or(0) > 2 * least;
  reading.latency = !any_costs && (gaining >= 2 || (gaining >= 1 && loop_gains) || (loop_gains && first == nullptr)) &&
                    (first == nullptr || first->verdict == Verdict::latency);
  if (reading.latency && (first == nullptr || first->gain.value_or(0) < 2 * kMuch)) {
    reading.first = "latency";
    reading.sentence = "latency: what is taken away gains, and nothing that is added costs";
  } else if (first != nullptr) {
    reading.first = first->resource;
    reading.sentence = fmt::format("{}: {:.0f} % of the time goes if it is free", first->resource, 100 * *first->gain);
  } else {
    reading.sentence = "nothing stands out";
  }
  return reading;
}

bool concerns(std::string_view resource, std::string_view rule) {
  const About* known = about(resource);
  return known != nullptr && !rule.empty() && std::ranges::find(known->rules, rule) != known->rules.end();
}

bool agrees(const Reading& reading, std::string_view rule) {
  if (rule.empty()) return reading.first.empty();
  if (reading.first == "latency") return rule == "latency";
  const auto first = std::ranges::find(reading.resources, reading.first, &ResourceReading::resource);
  if (first == reading.resources.end()) return false;
  return std::ranges::find(first->rules, rule) != first->rules.end();
}

}  // namespace assay::invert
