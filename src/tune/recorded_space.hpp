// SPDX-License-Identifier: MIT
// A space of which every configuration was evaluated: what strategies are replayed on.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/counter_table.hpp"
#include "tune/space.hpp"

namespace assay::tune {

struct RecordedSpace {
  std::string name;
  std::string device;
  Space space;
  std::vector<std::optional<double>> milliseconds;  // of each configuration; empty: it failed
  std::vector<std::string> failures;                // why; "" where it did not fail
  std::vector<std::vector<double>> samples;         // of each, where they were recorded
  std::vector<double> compile_milliseconds;         // of each; 0 where it is not known
  CounterTable counters;                            // empty: nothing was counted

  double best() const;                 // of those that did not fail
  size_t good_count() const;           // how many did not fail
  size_t within(double factor) const;  // how many take at most so many times the best one's time
};

}  // namespace assay::tune
