// SPDX-License-Identifier: MIT
// The same kernel on both sides, many times: how often does the gate see a difference where there is none, and how
// small a difference does it find? The difference is a delay of known size inside the timed region.
#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "judge/calibration.hpp"
#include "judge/comparison.hpp"
#include "judge/gate.hpp"
#include "measure/bench.hpp"

namespace assay::measure {

// Both sides get new processes after so many comparisons: what two processes differ by is part of the noise.
inline constexpr size_t kTrialsPerProcess = 10;

struct TrialRequest {
  size_t pairs = 200;             // A/A comparisons
  size_t trials = 100;            // comparisons with each slowdown
  std::vector<double> slowdowns;  // 0.03: 3 %
  judge::CompareOptions compare;
  judge::GateOptions gate;
  std::function<void(const std::string&)> on_step = [](const std::string&) {};
};

struct Trial {
  judge::Verdict compared = judge::Verdict::inconclusive;
  judge::GateVerdict gated = judge::GateVerdict::inconclusive;
  double ratio = 1;
  size_t samples = 0;  // of each side
};

struct TrialReport {
  judge::Calibration calibration;
  std::vector<Trial> same;                 // in order
  std::vector<std::vector<Trial>> slower;  // by slowdown, as in the calibration
  std::vector<double> measured_slowdowns;  // what the delays came to, by the medians of all samples
  double kernel_us = 0;                    // median, the smallest delay included

  size_t false_comparisons() const;  // FASTER or SLOWER, of the same kernel
  double process_spread() const;     // deviation of the ratio of two processes of the same kernel; 0 for fewer than 3
};

// On the first shape of the request, with its first contender.
Result<TrialReport> run_trials(const BenchRequest& bench, const TrialRequest& request);

}  // namespace assay::measure
