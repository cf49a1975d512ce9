// SPDX-License-Identifier: MIT
// Options of the commands that measure: bench, compare, gate, calibrate, suite.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::cli {

struct MeasureOptions {
  std::vector<std::string> baselines;  // names of the specification, providers, kernel folders
  std::string candidate;               // a [baseline.NAME] that takes the kernel's place
  std::string shapes = "canonical";    // a set of the specification
  std::string protocol = "graph";
  std::string cache = "warm";
  size_t sets = 4;
  std::optional<size_t> order_seed;  // of order, poison and places in memory; the system's randomness otherwise
  size_t samples = 100;              // at least
  size_t most_samples = 1200;
  double width = 0.008;               // half the interval of the ratio
  double budget_s = 20;               // of each shape
  std::string format;                 // "csv" or "markdown"; empty: for the terminal
  std::string save;                   // name under which the measurement becomes a baseline
  std::vector<std::string> operands;  // of compare: two kernel folders or two attempts
  bool force = false;                 // compare across contracts
  std::string against;                // gate: a saved baseline, a kernel folder, or "best" on the leaderboard
  double threshold = -1;              // gate: of times; below 0: the default for what it is compared with
  double counter_threshold = 0.01;
  std::string counters;  // gate: names of the counters that decide, with commas; empty: the headline counters
  bool strict = false;   // gate: a trade of counters is a regression
  std::string inconclusive = "fail";  // or "pass"
  std::string junit;                  // files to write
  std::string markdown;
  size_t pairs = 200;   // calibrate: A/A comparisons
  size_t trials = 100;  // calibrate: comparisons with each injected slowdown
  std::vector<double> slowdowns{0.01, 0.02, 0.03, 0.05};
  double stop_after_s = 0;  // calibrate: go on another time after so many seconds; 0: do all
  bool simulate = false;    // calibrate: judge simulated runs, without a GPU
  size_t runs = 10'000;     // calibrate --simulate: of each cell
  bool restart = false;     // suite: measure everything anew
  bool list = false;        // suite: say what would be measured
};

}  // namespace assay::cli
