// SPDX-License-Identifier: MIT
// What a machine's own trials say about the gate: how often it cries wolf, and how small a slowdown it finds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "judge/comparison.hpp"
#include "judge/gate_verdict.hpp"
#include "stats/interval.hpp"

namespace assay::judge {

// Trials with a delay of known size; 0.03: the candidate was made 3 % slower.
struct InjectedTrials {
  double slowdown = 0;
  std::vector<GateVerdict> verdicts;
};

struct Detection {
  double slowdown = 0;
  size_t trials = 0;
  size_t found = 0;  // REGRESSION
  double rate = 0;
  stats::Interval interval{};  // Clopper-Pearson, 95 %

  bool operator==(const Detection&) const = default;
};

struct Calibration {
  size_t trials = 0;          // A/A: the same kernel on both sides
  size_t false_verdicts = 0;  // REGRESSION
  size_t undecided = 0;       // INCONCLUSIVE
  double false_rate = 0;
  stats::Interval false_rate_interval{0, 1};  // Clopper-Pearson, 95 %
  std::vector<Detection> detections;          // by size of slowdown
  // The smallest injected slowdown that was found in at least kDetectionRate of its trials, and all larger ones too.
  std::optional<double> smallest_detected{};
  // The deviation of one side's level where both sides run the same kernel; nothing after too few trials.
  std::optional<double> side_spread_us{};

  bool operator==(const Calibration&) const = default;
};

inline constexpr double kDetectionRate = 0.95;
inline constexpr size_t kSpreadTrials = 20;  // from so many on the spread is taken for known

Calibration calibrate(std::span<const GateVerdict> same_kernel, std::span<const InjectedTrials> injected);

// A machine on which the same kernel differs from itself more than usual gets wider intervals.
CompareOptions widened(CompareOptions options, const std::optional<Calibration>& calibration);

// "false verdicts 0 of 200 (at most 1.8 %), finds 2 %": the gate shows it beside its verdict.
std::string describe(const Calibration& calibration);

}  // namespace assay::judge
