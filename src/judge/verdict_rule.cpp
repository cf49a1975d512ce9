// SPDX-License-Identifier: MIT
#include "judge/verdict_rule.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::judge {
namespace {

bool differs(const stats::RatioEstimate& estimate, double effect, double alpha) {
  // A little slack, so that a ratio computed as exactly 1 + effect is not lost to rounding.
  return estimate.p_different() < alpha && std::abs(estimate.log_ratio) >= std::log1p(effect) - 1e-12;
}

std::string describe(const stats::RatioEstimate& estimate, double alpha) {
  return describe_difference(estimate.ratio(), estimate.interval(1.0 - alpha), alpha);
}

}  // namespace

bool cycles_confirm(const stats::RatioEstimate& time, const stats::RatioEstimate& cycles,
                    const CompareOptions& options) {
  if (!differs(time, options.minimum_effect, options.alpha)) return true;
  return (time.log_ratio > 0) == (cycles.log_ratio > 0) && differs(cycles, options.minimum_effect / 2.0, options.alpha);
}

Decision decide(const Evidence& evidence, const CompareOptions& options) {
  const stats::RatioEstimate& time = evidence.time;
  const double throttled = std::max(evidence.candidate_throttled, evidence.baseline_throttled);
  if (throttled > options.max_throttled) {
    return {Verdict::throttled,
            fmt::format("{:.0f} % of the candidate's and {:.0f} % of the baseline's samples were throttled",
                        evidence.candidate_throttled * 100.0, evidence.baseline_throttled * 100.0)};
  }
  if (!time.usable()) return {Verdict::inconclusive, "too few samples to tell the noise"};

  const std::string difference = describe(time, options.alpha);
  if (!evidence.process_spread_known) {
    return {Verdict::inconclusive,
            fmt::format("{}, within one process: what processes differ by is not known on this machine", difference)};
  }
  if (differs(time, options.minimum_effect, options.alpha)) {
    if (evidence.cycles && !cycles_confirm(time, *evidence.cycles, options)) {
      return {Verdict::inconclusive, fmt::format("in time {}, but in cycles {}: the clocks differed", difference,
                                                 describe(*evidence.cycles, options.alpha))};
    }
    return {time.log_ratio > 0 ? Verdict::slower : Verdict::faster, difference};
  }
  if (time.p_outside(options.margin) < options.alpha) {
    return {Verdict::same, fmt::format("the same within {:g} %: {}", options.margin * 100.0, difference)};
  }
  return {Verdict::inconclusive, fmt::format("neither a difference nor sameness is certain: {}", difference)};
}

}  // namespace assay::judge
