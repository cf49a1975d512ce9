// SPDX-License-Identifier: MIT
#include "judge/counters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace assay::judge {
namespace {

constexpr std::string_view kHeadline[] = {
    "ptx_instructions",         "global_load_sectors",     "global_store_sectors",     "global_atomic_sectors",
    "global_reduction_sectors", "async_copy_sectors",      "local_load_sectors",       "local_store_sectors",
    "shared_load_wavefronts",   "shared_store_wavefronts", "shared_atomic_wavefronts", "shared_copy_wavefronts",
    "tensor_multiply_adds",
};

CounterChange change(const std::string& name, uint64_t candidate, uint64_t baseline, double threshold) {
  CounterChange result{name, baseline, candidate, 0, CounterTrend::same};
  if (candidate == baseline) return result;
  const bool grew = candidate > baseline;
  const auto difference = static_cast<double>(grew ? candidate - baseline : baseline - candidate);
  const auto base = static_cast<double>(baseline);
  result.growth = (grew ? 1.0 : -1.0) * (baseline == 0 ? std::numeric_limits<double>::infinity() : difference / base);
  // Exactly the threshold counts, whichever way the product was rounded.
  if (difference < threshold * base * (1.0 - 1e-12)) {
    result.trend = CounterTrend::slight;
  } else {
    result.trend = grew ? CounterTrend::grew : CounterTrend::fell;
  }
  return result;
}

bool is_part(std::string_view name) {
  return name.find('.') != std::string_view::npos;
}

std::string list(std::span<const CounterChange> changes, auto&& wanted) {
  std::string text;
  for (const CounterChange& each : changes) {
    if (each.judged && wanted(each)) text += (text.empty() ? "" : ", ") + describe(each);
  }
  return text;
}

}  // namespace

std::span<const std::string_view> headline_counters() {
  return kHeadline;
}

std::string_view to_string(CounterTrend trend) {
  switch (trend) {
    case CounterTrend::same:
      return "same";
    case CounterTrend::slight:
      return "slight";
    case CounterTrend::fell:
      return "fell";
    case CounterTrend::grew:
      return "grew";
    case CounterTrend::added:
      return "added";
    case CounterTrend::removed:
      return "removed";
  }
  return "same";
}

std::string describe(const CounterChange& change) {
  const std::string values = fmt::format("{} from {} to {}", change.name, change.baseline, change.candidate);
  return std::isfinite(change.growth) ? fmt::format("{} ({:+.2f} %)", values, change.growth * 100.0) : values;
}

bool worth_showing(const CounterChange& change) {
  return change.trend != CounterTrend::same && (change.judged || change.trend != CounterTrend::slight);
}

std::vector<CounterChange> compare_counters(const Counters& candidate, const Counters& baseline, double threshold,
                                            const std::set<std::string, std::less<>>& judged) {
  std::set<std::string> names;
  for (const auto& [name, value] : candidate) names.insert(name);
  for (const auto& [name, value] : baseline) names.insert(name);
  std::vector<CounterChange> changes;
  changes.reserve(names.size());
  for (const std::string& name : names) {
    const auto now = candidate.find(name);
    const auto before = baseline.find(name);
    if (before == baseline.end() && !is_part(name)) {
      changes.push_back({name, 0, now->second, 0, CounterTrend::added});
    } else if (now == candidate.end() && !is_part(name)) {
      changes.push_back({name, before->second, 0, 0, CounterTrend::removed});
    } else {
      changes.push_back(change(name, now == candidate.end() ? 0 : now->second,
                               before == baseline.end() ? 0 : before->second, threshold));
    }
    changes.back().judged = judged.contains(name);
  }
  return changes;
}

std::vector<CounterChange> compare_counters(const Counters& candidate, const Counters& baseline, double threshold) {
  return compare_counters(candidate, baseline, threshold, {std::begin(kHeadline), std::end(kHeadline)});
}

CounterJudgement judge_counters(std::span<const CounterChange> changes, double threshold, bool strict) {
  const auto in_both = [](const CounterChange& each) {
    return each.judged && each.trend != CounterTrend::added && each.trend != CounterTrend::removed;
  };
  if (std::none_of(changes.begin(), changes.end(), in_both))
    return {GateVerdict::inconclusive, "candidate and baseline have none of the judged counters in common"};
  const std::string grew = list(changes, [](const auto& each) { return each.trend == CounterTrend::grew; });
  const std::string fell = list(changes, [](const auto& each) { return each.trend == CounterTrend::fell; });
  if (!grew.empty() && !fell.empty() && !strict)
    return {GateVerdict::trade, fmt::format("a trade: {} grew; {} fell", grew, fell)};
  if (!grew.empty()) return {GateVerdict::regression, fmt::format("counters grew: {}", grew)};
  // What it was before is not known: that it did not grow would be a guess.
  std::string unknown;
  for (const CounterChange& each : changes) {
    if (each.judged && each.trend == CounterTrend::added && each.candidate > 0)
      unknown += (unknown.empty() ? "" : ", ") + each.name;
  }
  if (!unknown.empty())
    return {GateVerdict::inconclusive, fmt::format("not in the baseline: {}; save one anew", unknown)};
  const std::string slightly =
      list(changes, [](const auto& each) { return each.trend == CounterTrend::slight && each.growth > 0; });
  if (!slightly.empty())
    return {GateVerdict::pass, fmt::format("growth below {:g} %: {}", threshold * 100.0, slightly)};
  return {GateVerdict::pass, fell.empty() ? "no judged counter grew" : fmt::format("counters fell: {}", fell)};
}

}  // namespace assay::judge
