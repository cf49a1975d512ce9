// SPDX-License-Identifier: MIT
// What assay profile shows of one case: counters of the virtual GPU, figures made of them, and beside them what a GPU
// measured, if it was asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "gpu/counters.hpp"
#include "profiling/figure.hpp"
#include "profiling/ncu_csv.hpp"

namespace assay::profiling {

struct Profile {
  std::string entry;
  std::string shape;
  std::string device;  // the virtual GPU that counted
  gpu::LaunchCounters counters;
  std::vector<Figure> figures;
  std::string measured_on;            // "cuda:0"
  std::optional<NcuLaunch> measured;  // by Nsight Compute
  std::optional<Error> not_measured;  // why there is nothing measured although it was asked for
};

// Lines in the order of what they cost: sectors and wavefronts first, then instructions.
std::vector<const gpu::LineCounters*> costly_lines(const gpu::LaunchCounters& counters, size_t most);

}  // namespace assay::profiling
