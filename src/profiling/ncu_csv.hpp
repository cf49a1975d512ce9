// SPDX-License-Identifier: MIT
// The table that Nsight Compute writes with --csv --page raw: a line of names, a line of units, a line for each launch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::profiling {

struct NcuMetric {
  double value = 0;
  std::string unit;  // "ns", "sector", "%", ...
};

struct NcuLaunch {
  std::string kernel;                        // as ncu names it
  std::map<std::string, NcuMetric> metrics;  // those that are numbers

  std::optional<double> value(std::string_view metric) const;
};

// Lines of ncu's own and of the profiled program may stand around the table. An error says what ncu said if there is no
// table, and how to get the permission to read the counters if that is what is missing.
Result<std::vector<NcuLaunch>> read_ncu_csv(std::string_view text);

}  // namespace assay::profiling
