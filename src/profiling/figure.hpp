// SPDX-License-Identifier: MIT
// The figures that say whether a kernel uses the machine well, each with what is wanted of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "build/resource_usage.hpp"
#include "gpu/counters.hpp"
#include "gpu/occupancy.hpp"
#include "profiling/evidence.hpp"

namespace assay::profiling {

struct Figure {
  enum class Judgement { none, good, bad };

  std::string name;             // "coalescing"
  std::optional<double> value;  // empty: not known, and `note` says why
  std::string unit;             // "%", "", "bytes", "us"
  std::string want;             // ">= 80 %"; "" if there is nothing to judge
  Judgement judgement = Judgement::none;
  Evidence evidence = Evidence::counted;
  std::string note;
};

std::string_view to_string(Figure::Judgement judgement);

// What the compiler and the launch say of the kernel; what is not known is empty.
struct KernelResources {
  std::optional<build::ResourceUsage> usage;
  std::optional<gpu::Occupancy> occupancy;
  double flops = 0;  // of the problem, by the specification's formula; 0: not given
};

inline constexpr double kWantedCoalescing = 80;  // percent
inline constexpr double kWantedOccupancy = 50;
inline constexpr double kWantedSmBusy = 70;
inline constexpr double kToleratedConflicts = 5;  // percent of the wavefronts
inline constexpr double kShortKernel_us = 10;     // below, launching it costs as much as running it

std::vector<Figure> figures(const gpu::Counters& counters, const KernelResources& resources);

}  // namespace assay::profiling
