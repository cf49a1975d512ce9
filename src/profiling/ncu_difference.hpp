// SPDX-License-Identifier: MIT
// What another kernel does differently, by Nsight Compute's figures of both: the faster one is the best advice.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/ncu_csv.hpp"

namespace assay::profiling {

// Metrics that are compared and that neither counter_table() nor measured_metrics() names.
std::span<const std::string_view> comparison_metrics();

struct NcuDifference {
  std::string metric;
  std::string name;  // "wavefronts of shared loads"
  double own = 0;
  double other = 0;
  std::string sentence;  // "the baseline has 3.1 times fewer wavefronts of shared loads (1.2 M, here 3.7 M)"
};

// Those that differ by a quarter, or by ten points of a percentage; what differs most first. `other`: as the sentences
// call it.
std::vector<NcuDifference> differences(const NcuLaunch& own, const NcuLaunch& other, const std::string& other_name);

// Those of them that tell of what a rule of `diagnose` says, at most `most`.
std::vector<std::string> differences_for_rule(std::string_view rule, const std::vector<NcuDifference>& differences,
                                              size_t most);

// The launches of the kernel that took longest, all its launches together; kernels whose names begin with `without` are
// left out. Null: there is none.
const NcuLaunch* longest_kernel(const std::vector<NcuLaunch>& launches, std::string_view without);

}  // namespace assay::profiling
