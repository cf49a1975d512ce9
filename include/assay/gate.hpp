// SPDX-License-Identifier: MIT
// May this change go in? By time on a GPU, by exact counters on a virtual one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/context.hpp"
#include "assay/goal.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct GateRequest {
  KernelChoice choice;
  // A saved baseline, a kernel folder, a baseline file (*.json), or "best" on the leaderboard. Empty: "best", or
  // nothing if it is to be saved.
  std::string against;
  std::string save;                   // keep what was measured or counted under this name, or in this file (*.json)
  std::optional<double> threshold;    // slowdown that fails; none: 0.03, and 0.02 against the best
  double counter_threshold = 0.01;    // growth of a counter that fails
  std::vector<std::string> counters;  // those that decide; none: the headline counters (docs/counters.md)
  bool strict = false;                // a trade of counters is a regression
  bool inconclusive_passes = false;   // and a trade
  bool force = false;                 // compare with a baseline of another contract
  Measuring measuring;
  uint64_t seed = 1;
  CaseLimits limits;
  RecordOptions record;
};

struct GatedCase {
  std::string shape;
  std::string verdict;  // "PASS", "REGRESSION", "TRADE", "INCONCLUSIVE", "INCORRECT"
  std::string reason;
};

struct GateDetails;

struct GateReport {
  ExitCode exit_code = ExitCode::inconclusive;
  std::string verdict;  // the worst of the cases; "SAVED" where nothing was compared
  std::string reason;
  std::string kernel;
  std::string configuration;
  std::string device;
  std::vector<GatedCase> cases;
  std::vector<GoalLine> goal;  // judged by what was measured beside a kernel folder; counters tell nothing of it
  std::shared_ptr<const GateDetails> details;
};

Result<GateReport> gate(const GateRequest& request, const Context& context = {});
std::string to_json(const GateReport& report);
// For a CI system, and for a pull request: a suite or a section for each kernel.
std::string to_junit(const std::vector<GateReport>& reports);
std::string to_markdown(const std::vector<GateReport>& reports);

}  // namespace assay::work
