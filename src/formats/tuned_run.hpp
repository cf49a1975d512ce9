// SPDX-License-Identifier: MIT
// A tuning run as other tools' formats describe it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/space.hpp"

namespace assay::formats {

struct TunedConfiguration {
  size_t configuration = 0;            // of the space
  std::optional<double> milliseconds;  // the mean; empty: it failed
  std::vector<double> samples;         // milliseconds
  std::string failure;                 // "compile", "runtime", "correctness", "timeout"; "" if it did not fail
  double compile_milliseconds = 0;
  double check_milliseconds = 0;
  double measure_milliseconds = 0;
  double search_milliseconds = 0;
  std::string timestamp;  // "2026-11-16T05:00:00+00:00"
};

struct TunedRun {
  std::string kernel;
  std::string device;
  std::vector<double> problem_size;
  std::string quantity = "time";  // what `milliseconds` holds; "estimated cycles" where nothing was measured
  std::string unit = "ms";
  const tune::Space* space = nullptr;
  std::vector<TunedConfiguration> configurations;  // in the order of their evaluation
};

}  // namespace assay::formats
