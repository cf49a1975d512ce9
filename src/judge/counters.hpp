// SPDX-License-Identifier: MIT
// The virtual GPU's exact counters beside those of a baseline. They have no noise, so any growth is real and the
// threshold is only a matter of what matters.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace assay::judge {

using Counters = std::map<std::string, uint64_t>;

enum class CounterTrend {
  same,
  better,   // fell by the threshold or more
  worse,    // grew by the threshold or more, and it is a cost
  changed,  // by the threshold or more, and it is no cost
  added,    // the baseline lacks it
  removed,  // the candidate lacks it
};

std::string_view to_string(CounterTrend trend);

struct CounterChange {
  std::string name;
  uint64_t baseline = 0;
  uint64_t candidate = 0;
  double growth = 0;  // 0.01: 1 % more; infinite from 0
  CounterTrend trend = CounterTrend::same;

  bool operator==(const CounterChange&) const = default;
};

// Every counter of either side, by name. `not_costs` are counters of which more is not worse (tensor operations that
// replace others, say).
std::vector<CounterChange> compare_counters(const Counters& candidate, const Counters& baseline, double threshold,
                                            const std::set<std::string>& not_costs = {});

}  // namespace assay::judge
