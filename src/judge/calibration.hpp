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
  // What the levels of processes that run the same kernel differ by, at each length that was tried on this machine.
  std::vector<SpreadPoint> spread{};

  bool operator==(const Calibration&) const = default;
};

inline constexpr double kDetectionRate = 0.95;
inline constexpr size_t kSpreadProcesses = 30;  // pairs of them, from which on a spread is taken for known

Calibration calibrate(std::span<const GateVerdict> same_kernel, std::span<const InjectedTrials> injected);

// A part of the time and a constant, from all lengths that were tried; nothing if none was tried often enough.
std::optional<ProcessSpread> process_spread(const Calibration& calibration);
// Comparisons of this machine's, compare's and the gate's alike, expect what it was seen to be like.
CompareOptions calibrated(CompareOptions options, const std::optional<Calibration>& calibration);
// The points of a new calibration, and those of an older one at other lengths.
std::vector<SpreadPoint> merged(std::span<const SpreadPoint> newer, std::span<const SpreadPoint> older);

// "false verdicts 0 of 200 (at most 1.8 %), finds 2 %": the gate shows it beside its verdict.
std::string describe(const Calibration& calibration);

}  // namespace assay::judge
