// SPDX-License-Identifier: MIT
// The gate: may this change go in?
//
// Per case, correctness first. By time, with [low, high] the comparison's interval of candidate / baseline:
//   regression    certainly slower (p < alpha after Holm's correction over the suite, and not for the clocks), and a
//                 slowdown of the threshold or more is not ruled out (high >= 1 + threshold - allowance)
//   pass          a slowdown of the threshold or more is ruled out (high < 1 + threshold - allowance)
//   inconclusive  neither: the interval reaches from "no slower" to "slower by the threshold"; or throttled
// The allowance is for what no interval can know: ticks of the timer, the layout of a buffer, the level of a process, a
// delay that is not exactly what it was meant to be.
// A slowdown of the threshold or more so passes with probability alpha / 2 at most, noise alone almost never fails
// (the estimate would have to be off by half of that limit and be significant), and a small slowdown that is measured
// precisely passes.
// By exact counters: the rule of counters.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "judge/calibration.hpp"
#include "judge/comparison.hpp"
#include "judge/counters.hpp"
#include "judge/gate_verdict.hpp"

namespace assay::judge {

struct GateOptions {
  double threshold = 0.03;
  double allowance = 0.005;  // at most half the threshold is used
  double counter_threshold = 0.01;
  double alpha = 0.01;               // the comparisons were made with the same
  bool inconclusive_passes = false;  // a trade too
  bool strict = false;               // a trade of counters is a regression

  double limit() const;  // what the interval must stay below: 1 + threshold - allowance
  bool operator==(const GateOptions&) const = default;
};

// How the comparisons are made that the gate judges: the spread of processes is left to its allowance.
inline CompareOptions without_process_spread(CompareOptions options) {
  options.process_spread_us = 0;
  return options;
}

// What is known of one case: a comparison of times, changes of counters, or both.
struct GateCase {
  std::string name;
  std::optional<std::string> incorrect{};  // why the results are wrong; nothing if they are right
  std::optional<Comparison> comparison{};
  std::vector<CounterChange> counters{};
};

struct GateCaseResult {
  std::string name;
  GateVerdict verdict = GateVerdict::inconclusive;
  std::string reason;
  double adjusted_p = 1;  // after Holm's correction
  std::optional<Comparison> comparison{};
  std::vector<CounterChange> counters{};

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
