// SPDX-License-Identifier: MIT
// Judges the [goal] of a specification by what was measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "assay/goal.hpp"
#include "measure/judged_case.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

// What is known; what is empty was not looked at.
struct GoalEvidence {
  std::vector<measure::JudgedCase> cases;
  double memory_gb_per_s = 0;     // of the GPU
  std::optional<double> sm_busy;  // shares, of a profile
  std::optional<double> occupancy;
  std::optional<int64_t> repetitions;  // runs that gave the same bits
};

// One line for each goal of the specification; none if it has no [goal].
Result<std::vector<GoalLine>> judge_goal(const spec::KernelSpec& spec, const GoalEvidence& evidence);
nlohmann::json goal_document(const std::vector<GoalLine>& lines);

// The candidate beside the named baseline, or the fastest that may be compared with; null if there is none.
const judge::Comparison* comparison_with(const measure::JudgedCase& judged, const std::string& baseline);

}  // namespace assay::work
