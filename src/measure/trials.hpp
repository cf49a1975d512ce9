// SPDX-License-Identifier: MIT
// The same kernel on both sides, many times: how often does the judgement see a difference where there is none, and how
// small a difference does it find? The difference is a delay of known size inside the timed region.
#pragma once

#include <functional>
#include <vector>

#include "base/result.hpp"
#include "judge/calibration.hpp"
#include "judge/comparison.hpp"
#include "measure/bench.hpp"

namespace assay::measure {

struct TrialRequest {
  size_t pairs = 200;             // A/A comparisons
  size_t trials = 100;            // comparisons with each slowdown
  std::vector<double> slowdowns;  // 0.03: 3 %
  judge::CompareOptions compare;
  std::function<void(const std::string&)> on_step = [](const std::string&) {};
};

struct TrialReport {
  judge::Calibration calibration;
  std::vector<judge::Verdict> same;
  std::vector<judge::InjectedTrials> injected;
  std::vector<double> measured_slowdowns;  // what the delays came to, by the medians of all samples
  double kernel_us = 0;                    // median, the smallest delay included
};

// On the first shape of the request, with its first contender.
Result<TrialReport> run_trials(const BenchRequest& bench, const TrialRequest& request);

}  // namespace assay::measure
