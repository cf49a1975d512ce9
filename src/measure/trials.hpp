// SPDX-License-Identifier: MIT
// The same kernel on both sides, many times: how often does the judgement see a difference where there is none, and how
// small a difference does it find? The difference is a delay of known size inside the timed region. Every comparison is
// sampled as a session samples: processes of its own, in the same order, until the same rule says that it is enough.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "base/result.hpp"
#include "judge/calibration.hpp"
#include "judge/comparison.hpp"
#include "judge/gate.hpp"
#include "measure/bench.hpp"

namespace assay::measure {

struct Trial {
  double slowdown = 0;  // that was asked for; 0: the same kernel on both sides
  judge::Verdict compared = judge::Verdict::inconclusive;
  judge::GateVerdict gated = judge::GateVerdict::inconclusive;
  double ratio = 1;
  stats::Interval interval{};
  double baseline_us = 0;              // median
  double clock_mhz = 0;                // 0: not known
  std::vector<double> process_ratios;  // logarithms, one for each pair of processes

  bool operator==(const Trial&) const = default;
};

nlohmann::json to_json(const Trial& trial);
Result<Trial> trial_from_json(const nlohmann::json& json);

struct TrialRequest {
  size_t pairs = 200;             // A/A comparisons
  size_t trials = 100;            // comparisons with each slowdown
  std::vector<double> slowdowns;  // 0.03: 3 %
  judge::CompareOptions compare;
  judge::GateOptions gate;
  std::vector<Trial> done;  // in an earlier run: they count and are not repeated
  std::function<void(const std::string&)> on_step = [](const std::string&) {};
  // Hears of every trial as soon as it is over; false: stop here, and go on another time.
  std::function<Result<bool>(const Trial&)> on_trial = [](const Trial&) { return Result<bool>(true); };
};

struct TrialReport {
  judge::Calibration calibration;
  std::vector<Trial> same;                 // in order
  std::vector<std::vector<Trial>> slower;  // by slowdown, as in the calibration
  std::vector<double> measured_slowdowns;  // what the delays came to: the median of the ratios
  double kernel_us = 0;                    // median, the smallest delay included
  bool complete = true;                    // false: on_trial stopped it

  size_t false_comparisons() const;  // FASTER or SLOWER, of the same kernel
};

// On the first shape of the request, with its first contender.
Result<TrialReport> run_trials(const BenchRequest& bench, const TrialRequest& request);

}  // namespace assay::measure
