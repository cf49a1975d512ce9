// SPDX-License-Identifier: MIT
#include "judge/replication.hpp"

#include <algorithm>
#include <cmath>

#include "judge/compare.hpp"
#include "judge/units.hpp"

namespace assay::judge {
namespace {

bool time_to_look(const Replication& plan, size_t processes) {
  return processes >= plan.first && (processes - plan.first) % plan.step == 0;
}

bool narrow(const stats::RatioEstimate& estimate, double alpha, double width) {
  if (!estimate.usable()) return false;
  const stats::Interval interval = estimate.interval(1.0 - alpha);
  return std::log(interval.high / interval.low) / 2 <= std::log1p(width);
}

double wanted_width(const Replication& plan, const stats::RatioEstimate& estimate) {
  return plan.width * std::max(1.0, std::abs(estimate.log_ratio) / std::log1p(plan.clear));
}

}  // namespace

bool enough(const Replication& plan, const Batches& candidate, const Batches& baseline, const CompareOptions& options) {
  const size_t processes = std::min(process_count(candidate), process_count(baseline));
  if (processes >= plan.most) return true;
  if (!time_to_look(plan, processes)) return false;
  const stats::RatioEstimate estimate = ratio_of(candidate, baseline, options);
  return narrow(estimate, options.alpha, wanted_width(plan, estimate));
}

bool enough(const Replication& plan, const Batches& alone, const CompareOptions& options) {
  const size_t processes = process_count(alone);
  if (processes >= plan.most) return true;
  return time_to_look(plan, processes) && narrow(level_of(alone, options), options.alpha, plan.width);
}

}  // namespace assay::judge
