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

std::optional<ProcessSpread> process_spread(const Calibration& calibration) {
  std::vector<SpreadPoint> known;
  for (const SpreadPoint& point : calibration.spread) {
    if (point.processes >= kSpreadProcesses) known.push_back(point);
  }
  return known.empty() ? std::nullopt : std::optional(fit_spread(known));
}

CompareOptions calibrated(CompareOptions options, const std::optional<Calibration>& calibration) {
  if (calibration) options.process_spread = process_spread(*calibration);
  return options;
}

std::vector<SpreadPoint> merged(std::span<const SpreadPoint> newer, std::span<const SpreadPoint> older) {
  constexpr double kSameLength = 1.2;
  std::vector<SpreadPoint> all(newer.begin(), newer.end());
  for (const SpreadPoint& point : older) {
    const bool again = std::any_of(newer.begin(), newer.end(), [&](const SpreadPoint& each) {
      const double ratio = each.microseconds / point.microseconds;
      return ratio < kSameLength && ratio > 1 / kSameLength;
    });
    if (!again) all.push_back(point);
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.microseconds < b.microseconds; });
  return all;
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
