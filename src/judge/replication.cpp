// SPDX-License-Identifier: MIT
#include "judge/replication.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "judge/compare.hpp"
#include "judge/units.hpp"

namespace assay::judge {
namespace {

bool time_to_look(const Replication& plan, size_t processes) {
  return processes >= plan.first && (processes - plan.first) % plan.step == 0;
}

// Half of the interval over what is wanted, both as logarithms; infinite if there is none.
double times_too_wide(const stats::RatioEstimate& estimate, double alpha, double width) {
  if (!estimate.usable()) return std::numeric_limits<double>::infinity();
  const stats::Interval interval = estimate.interval(1.0 - alpha);
  return std::log(interval.high / interval.low) / 2 / std::log1p(width);
}
bool narrow(const stats::RatioEstimate& estimate, double alpha, double width) {
  return times_too_wide(estimate, alpha, width) <= 1;
}

// The first look at no fewer than that.
size_t expected(const Replication& plan, size_t processes, double too_wide) {
  const double wanted = static_cast<double>(processes) * too_wide * too_wide;
  if (!(wanted < static_cast<double>(plan.most))) return plan.most;
  size_t look = plan.first;
  while (static_cast<double>(look) < wanted) look += plan.step;
  return std::min(look, plan.most);
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

size_t expected_processes(const Replication& plan, const Batches& candidate, const Batches& baseline,
                          const CompareOptions& options) {
  const size_t processes = std::min(process_count(candidate), process_count(baseline));
  const stats::RatioEstimate estimate = ratio_of(candidate, baseline, options);
  return expected(plan, processes, times_too_wide(estimate, options.alpha, wanted_width(plan, estimate)));
}

size_t expected_processes(const Replication& plan, const Batches& alone, const CompareOptions& options) {
  return expected(plan, process_count(alone), times_too_wide(level_of(alone, options), options.alpha, plan.width));
}

}  // namespace assay::judge
