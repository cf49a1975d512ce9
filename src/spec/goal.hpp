// SPDX-License-Identifier: MIT
// [goal] of a kernel.toml: when the kernel is good enough. Only those who judge by it read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::spec {

struct SpeedupGoal {  // [[goal.speedup]]
  Place place;
  std::string baseline;              // by name; empty: the fastest one that was measured
  std::string shapes = "canonical";  // a set of [shapes]
  double at_least = 1;               // baseline / candidate time, of medians
  std::optional<int64_t> on;         // at so many of the shapes; nothing: at each of them
};

// A share is a part of what the GPU has: 0.7 is 70 %.
struct Goal {
  std::vector<SpeedupGoal> speedups;
  std::optional<double> p90;           // candidate / baseline, at every shape, at most
  std::optional<double> sm_busy;       // share of the time, at least
  std::optional<double> bandwidth;     // share of the memory's, at least
  std::optional<double> occupancy;     // share of a multiprocessor's warps, at least
  std::optional<int64_t> repetitions;  // launches with the same bits, at least
};

// Every name of a baseline that is known without a look at kernel folders: declared ones, and "sdpa", "torch_compile".
std::vector<std::string> baseline_names(const KernelSpec& spec);
// Whether a baseline of that name can be measured: one of these, "sdpa:BACKEND", or a kernel folder that exists.
bool is_baseline(const KernelSpec& spec, const std::string& name);
// "declared: a, b; built in: ...", for messages.
std::string describe_baselines(const KernelSpec& spec, const std::string& wanted);

// Nothing if the file has no [goal]. The file was loaded before, so that it has no mistakes unless it has changed
// since.
Result<std::optional<Goal>> goal_of(const KernelSpec& spec);

}  // namespace assay::spec
