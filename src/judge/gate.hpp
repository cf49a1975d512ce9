// SPDX-License-Identifier: MIT
// The gate: may this change go in?
//
// Per case, correctness first. By time, with the comparison's interval of candidate / baseline:
//   pass          a slowdown of the threshold or more is ruled out: the interval's upper end is below 1 + threshold
//   regression    certainly slower (p < alpha after Holm's correction over the suite, and not for the clocks), and a
//                 slowdown of the threshold is likely: the upper end of the 90 % interval reaches 1 + kGrain *
//                 threshold
//   inconclusive  neither, or throttled
// So a slowdown of the threshold passes with probability alpha / 2 at most and is a regression in 95 of 100 runs; noise
// alone almost never is one (the estimate would have to be off by most of the threshold and be significant); and a
// slowdown below the threshold is one only where the run is too noisy to tell it from the threshold: 2 % at a threshold
// of 3 % as often as docs/measurement.md says. The grain is for the ticks of timers: 3 % of 5 us are 4.8 of them.
// By exact counters: the rule of counters.hpp. A trade is settled by what was measured, else by estimated times where
// they differ beyond their error (estimated_change.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "judge/calibration.hpp"
#include "judge/comparison.hpp"
#include "judge/counters.hpp"
#include "judge/estimated_change.hpp"
#include "judge/gate_verdict.hpp"

namespace assay::judge {

struct GateOptions {
  double threshold = 0.03;
  double counter_threshold = 0.01;
  double alpha = 0.005;              // the comparisons were made with the same
  bool inconclusive_passes = false;  // a trade too
  bool strict = false;               // a trade of counters is a regression

  static constexpr double kGrain = 0.95;

  bool operator==(const GateOptions&) const = default;
};

// What is known of one case: a comparison of times, changes of counters, or both.
struct GateCase {
  std::string name;
  std::optional<std::string> incorrect{};  // why the results are wrong; nothing if they are right
  std::optional<Comparison> comparison{};
  std::vector<CounterChange> counters{};
  std::optional<EstimatedChange> estimated{};
};

struct GateCaseResult {
  std::string name;
  GateVerdict verdict = GateVerdict::inconclusive;
  std::string reason;
  double adjusted_p = 1;  // after Holm's correction
  std::optional<Comparison> comparison{};
  std::vector<CounterChange> counters{};
  std::optional<EstimatedChange> estimated{};

  bool operator==(const GateCaseResult&) const = default;
};

struct GateResult {
  GateVerdict verdict = GateVerdict::inconclusive;  // the worst of the cases
  ExitCode exit_code = ExitCode::inconclusive;
  std::string reason;
  std::vector<GateCaseResult> cases;
  std::optional<Calibration> calibration{};
  GateOptions options{};

  size_t count(GateVerdict wanted) const;
  bool operator==(const GateResult&) const = default;
};

GateResult gate(std::vector<GateCase> cases, const GateOptions& options = {},
                std::optional<Calibration> calibration = std::nullopt);

}  // namespace assay::judge
