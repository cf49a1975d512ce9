// SPDX-License-Identifier: MIT
// Judges two kernels' times. The rule is in comparison.hpp.
#pragma once

#include "base/result.hpp"
#include "judge/block.hpp"
#include "judge/comparison.hpp"

namespace assay::judge {

// An error if samples are missing or impossible, or an option is out of range; never for lack of evidence.
Result<Comparison> compare(const Blocks& candidate, const Blocks& baseline, const CompareOptions& options = {});

}  // namespace assay::judge
