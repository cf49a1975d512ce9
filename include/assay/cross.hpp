// SPDX-License-Identifier: MIT
// The same kernel under other benchmarks' rules, beside ours: where does a win depend on the timer?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct CrossRequest {
  BenchRequest bench;
  std::vector<std::string> rules;  // "kernelbench", ...; empty: all
  double seconds = 20;             // of sampling one contender by one set of rules, at most
};

// One contender by one set of rules.
struct CrossTime {
  std::string rules;  // "assay" for ours
  std::string contender;
  double us = 0;       // the figure that those rules report
  std::string figure;  // "median", "mean"
  size_t samples = 0;
  bool cut = false;               // it ran out of time before its own rules would have stopped
  std::optional<double> speedup;  // of the candidate over this one
  std::optional<bool> accepted;   // by their tolerance
  std::string problem;            // why there is no time
};

// What the sets of rules say about the candidate beside one baseline.
struct CrossVerdict {
  std::string baseline;
  std::string ours;  // "FASTER", ...
  double low = 0;    // the least and the most speed-up over all sets of rules
  double high = 0;
  bool depends_on_timer = false;  // one set of rules calls a win what another calls a loss or a tie
};

struct CrossCase {
  std::string kernel;
  std::string shape;
  BenchCase ours;
  std::vector<CrossTime> times;
  std::vector<CrossVerdict> verdicts;
  std::optional<double> sol_score;  // SOL-ExecBench's: 0.5 at the fastest baseline, 1 at the floor
  double floor_us = 0;              // of the roofline
};

struct CrossReport {
  ExitCode exit_code = ExitCode::good;
  std::string gpu;
  std::vector<CrossCase> cases;
};

class CrossListener {
 public:
  virtual ~CrossListener() = default;
  virtual void on_case(const CrossCase& measured) = 0;
};

Result<CrossReport> cross(const CrossRequest& request, const Context& context = {}, CrossListener* listener = nullptr);
std::string to_json(const CrossReport& report);

}  // namespace assay::work
