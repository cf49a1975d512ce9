// SPDX-License-Identifier: MIT
// What profilers would have counted of a configuration of a synthetic space, under the names of one of them.
#pragma once

#include <string>
#include <vector>

#include "tune/synthetic_gpu.hpp"

namespace assay::tune {

enum class CounterNames {
  nsight,  // Nsight Compute's, with the launch under KTT's
  cupti,   // of the profilers before it
  own,     // of assay profile
};

// What every configuration has, in the order of `counted`. Rates and ratios are among them, as profilers give them.
const std::vector<std::string>& counter_names(CounterNames names);

// Totals of the grid. `blur`: relative error of each, drawn by `key`; hardware has none, PTX against SASS has.
std::vector<double> counted(const SyntheticTiming& timing, CounterNames names, double blur, uint64_t key);

}  // namespace assay::tune
