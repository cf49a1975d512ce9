// SPDX-License-Identifier: MIT
// The rule of comparison.hpp, from estimates to a verdict and the sentence that gives the reason.
#pragma once

#include <optional>

#include "judge/comparison.hpp"
#include "stats/ratio_estimate.hpp"

namespace assay::judge {

struct Evidence {
  stats::RatioEstimate time{};
  std::optional<stats::RatioEstimate> cycles{};
  double candidate_throttled = 0;
  double baseline_throttled = 0;
  bool process_spread_known = true;  // what differs from process to process is in the error of the estimates
};

struct Decision {
  Verdict verdict = Verdict::inconclusive;
  std::string reason;
};

Decision decide(const Evidence& evidence, const CompareOptions& options);

// Does the difference in time show in cycles: the same direction, at least half the smallest effect of interest (clocks
// are read coarsely), and certain? True where time shows no difference to confirm.
bool cycles_confirm(const stats::RatioEstimate& time, const stats::RatioEstimate& cycles,
                    const CompareOptions& options);

}  // namespace assay::judge
