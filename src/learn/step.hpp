// SPDX-License-Identifier: MIT
// A step of work that was measured elsewhere or earlier: what was changed, what was expected, what came of it. A file
// of them (docs/records.md shows one) is imported as attempts.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::learn {

struct Step {
  std::string kernel;
  std::string device;
  std::string name;       // "7", "not 3"
  std::string change;     // what was done
  std::string expected;   // before it was tried; empty: nobody said
  std::string came;       // in words
  bool profiled = false;  // it follows from a profile, counters or clock stamps
  bool kept = true;
  std::vector<double> ratios;  // time before over time after, one for each case with figures
};

struct StepFile {
  nlohmann::json origin;              // kernel, device, date, versions, command
  std::vector<nlohmann::json> steps;  // as they are in the file
};

// Errors name the step.
Result<StepFile> read_steps(std::string_view text, const std::string& file);
// A step as an attempt keeps it ({"origin": ..., "step": ...}); an error says what makes no sense.
Result<Step> step_of(const nlohmann::json& origin, const nlohmann::json& step);

}  // namespace assay::learn
