// SPDX-License-Identifier: MIT
#include "judge/counters.hpp"

#include <limits>
#include <utility>

namespace assay::judge {
namespace {

CounterChange change(const std::string& name, uint64_t candidate, uint64_t baseline, double threshold, bool is_cost) {
  CounterChange result{name, baseline, candidate, 0, CounterTrend::same};
  if (candidate == baseline) return result;
  const bool grew = candidate > baseline;
  const auto difference = static_cast<double>(grew ? candidate - baseline : baseline - candidate);
  const auto base = static_cast<double>(baseline);
  result.growth = (grew ? 1.0 : -1.0) * (baseline == 0 ? std::numeric_limits<double>::infinity() : difference / base);
  // Exactly the threshold counts, whichever way the product was rounded.
  if (difference < threshold * base * (1.0 - 1e-12)) return result;
  result.trend = !is_cost ? CounterTrend::changed : grew ? CounterTrend::worse : CounterTrend::better;
  return result;
}

}  // namespace

std::string_view to_string(CounterTrend trend) {
  switch (trend) {
    case CounterTrend::same:
      return "same";
    case CounterTrend::better:
      return "better";
    case CounterTrend::worse:
      return "worse";
    case CounterTrend::changed:
      return "changed";
    case CounterTrend::added:
      return "added";
    case CounterTrend::removed:
      return "removed";
  }
  return "same";
}

std::vector<CounterChange> compare_counters(const Counters& candidate, const Counters& baseline, double threshold,
                                            const std::set<std::string>& not_costs) {
  std::set<std::string> names;
  for (const auto& [name, value] : candidate) names.insert(name);
  for (const auto& [name, value] : baseline) names.insert(name);
  std::vector<CounterChange> changes;
  changes.reserve(names.size());
  for (const std::string& name : names) {
    const auto now = candidate.find(name);
    const auto before = baseline.find(name);
    if (before == baseline.end()) {
      changes.push_back({name, 0, now->second, 0, CounterTrend::added});
    } else if (now == candidate.end()) {
      changes.push_back({name, before->second, 0, 0, CounterTrend::removed});
    } else {
      changes.push_back(change(name, now->second, before->second, threshold, !not_costs.contains(name)));
    }
  }
  return changes;
}

}  // namespace assay::judge
