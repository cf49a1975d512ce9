// SPDX-License-Identifier: MIT
// The virtual GPU's exact counters beside those of a baseline. They have no noise, so any change is real; but a counter
// is no time, and fewer of one is often bought with more of another. Hence the rule, over the counters that are judged
// (the headline counters unless others are named):
//   regression  one grew by the threshold or more and none fell by it
//   trade       some grew by the threshold or more and some fell by it: counters alone cannot say which is worth more
//   pass        none grew by the threshold or more; growth below it is named
// Strictly, a trade is a regression too.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judge/gate_verdict.hpp"

namespace assay::judge {

using Counters = std::map<std::string, uint64_t>;

// Judged by default: instructions issued, sectors of global and local memory, wavefronts of shared memory, tensor
// operations. What else is counted (requests, bytes, families of instructions ...) follows from these or explains them.
std::span<const std::string_view> headline_counters();

enum class CounterTrend {
  same,     // to the last one
  slight,   // it changed by less than the threshold
  fell,     // by the threshold or more
  grew,     // by the threshold or more
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
  bool judged = true;

  bool operator==(const CounterChange&) const = default;
};

// "ptx_instructions from 100 to 103 (+3.00 %)".
std::string describe(const CounterChange& change);

// Judged and changed at all, or another one that changed by the threshold or more.
bool worth_showing(const CounterChange& change);

// Every counter of either side, by name. `judged` names those that decide. A part of a counter
// ("ptx_instructions.float") that a side lacks is 0 there: parts are listed only where there are any.
std::vector<CounterChange> compare_counters(const Counters& candidate, const Counters& baseline, double threshold,
                                            const std::set<std::string, std::less<>>& judged);
// The headline counters decide.
std::vector<CounterChange> compare_counters(const Counters& candidate, const Counters& baseline, double threshold);

struct CounterJudgement {
  GateVerdict verdict = GateVerdict::pass;
  std::string reason;
};

CounterJudgement judge_counters(std::span<const CounterChange> changes, double threshold, bool strict);

}  // namespace assay::judge
