// SPDX-License-Identifier: MIT
// A measured case with the candidate judged against each baseline.
#pragma once

#include <optional>
#include <vector>

#include "base/result.hpp"
#include "judge/comparison.hpp"
#include "measure/measurement.hpp"

namespace assay::measure {

// The entry of the candidate itself is empty, as is that of a contender that cannot be compared.
struct JudgedCase {
  CaseMeasurement measured;
  std::vector<std::optional<judge::Comparison>> comparisons;
};

// Figures that a guard objects to are shown, never compared.
Result<JudgedCase> judge_case(CaseMeasurement measured, const judge::CompareOptions& options);

}  // namespace assay::measure
