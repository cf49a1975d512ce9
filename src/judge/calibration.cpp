// SPDX-License-Identifier: MIT
#include "judge/calibration.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "stats/proportion.hpp"

namespace assay::judge {
namespace {

size_t count(std::span<const GateVerdict> verdicts, GateVerdict wanted) {
  return static_cast<size_t>(std::count(verdicts.begin(), verdicts.end(), wanted));
}

double fraction(size_t part, size_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Detection detection(const InjectedTrials& trials) {
  const size_t found = count(trials.verdicts, GateVerdict::regression);
  const size_t all = trials.verdicts.size();
  return {trials.slowdown, all, found, fraction(found, all), stats::clopper_pearson(found, all)};
}

}  // namespace

Calibration calibrate(std::span<const GateVerdict> same_kernel, std::span<const InjectedTrials> injected) {
  Calibration result;
  result.trials = same_kernel.size();
  result.false_verdicts = count(same_kernel, GateVerdict::regression);
  result.undecided = count(same_kernel, GateVerdict::inconclusive);
  result.false_rate = fraction(result.false_verdicts, result.trials);
  result.false_rate_interval = stats::clopper_pearson(result.false_verdicts, result.trials);
  result.detections.reserve(injected.size());
  for (const InjectedTrials& trials : injected) result.detections.push_back(detection(trials));
  std::sort(result.detections.begin(), result.detections.end(),
            [](const Detection& a, const Detection& b) { return a.slowdown < b.slowdown; });
  for (auto it = result.detections.rbegin(); it != result.detections.rend(); ++it) {
    if (it->trials == 0 || it->rate < kDetectionRate) break;
    result.smallest_detected = it->slowdown;
  }
  return result;
}

CompareOptions widened(CompareOptions options, const std::optional<Calibration>& calibration) {
  if (calibration) {
    options.process_spread_us = std::max(options.process_spread_us, calibration->side_spread_us.value_or(0));
  }
  return options;
}

std::string describe(const Calibration& calibration) {
  if (calibration.trials == 0 && calibration.detections.empty()) return "not calibrated on this machine";
  std::string text = fmt::format("false verdicts {} of {} (at most {:.1f} %)", calibration.false_verdicts,
                                 calibration.trials, calibration.false_rate_interval.high * 100.0);
  if (calibration.smallest_detected) {
    text += fmt::format(", finds a slowdown of {:g} %", *calibration.smallest_detected * 100.0);
  } else if (!calibration.detections.empty()) {
    text += ", finds none of the slowdowns that were tried";
  }
  return text;
}

}  // namespace assay::judge
