// SPDX-License-Identifier: MIT
// From batches to the units of a comparison: what counts as independent of each other.
//
// A unit is a process (a pair of processes, one of each side, where the run was interleaved). Where a side has fewer
// than three of them, stretches of samples have to do: batches as they are if there are 4 to 40, more joined into 20,
// fewer cut. Such units do not show what differs from process to process, and the comparison says so.
#pragma once

#include <string>
#include <vector>

#include "judge/batch.hpp"

namespace assay::judge {

struct Units {
  std::vector<Batches> candidate;  // by unit
  std::vector<Batches> baseline;
  bool paired = false;      // candidate[i] was taken beside baseline[i], batch by batch
  bool replicated = false;  // a unit is a process
  std::vector<std::string> warnings;
};

inline constexpr size_t kMinimumProcesses = 3;
inline constexpr size_t kMinimumUnits = 4;
inline constexpr size_t kMaximumUnits = 40;
inline constexpr size_t kJoinedUnits = 20;
inline constexpr size_t kCutUnits = 10;

// Throttled samples are excluded, and a pair of batches with it where they are more than half; unless `keep_throttled`.
Units make_units(const Batches& candidate, const Batches& baseline, bool interleaved, bool keep_throttled);

// One batch for each unit.
Batches joined(const std::vector<Batches>& units);
// The mean of the logarithms of the levels (mean of the middle half) of a unit's batches; times the clock `in_cycles`.
double log_level(const Batches& unit, bool in_cycles);

}  // namespace assay::judge
