// SPDX-License-Identifier: MIT
// Searches the configurations of a kernel, replays searches on recorded spaces, and lends the searcher to others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

// --- replay: how good is a strategy, on spaces of which everything is known?
struct TuneReplayRequest {
  std::vector<std::string> spaces;  // Kernel Tuner's caches or T4, plain, compressed or cut off
  std::string synthetic;            // "choosing", "judging", "all": generated spaces as well; empty: none
  std::vector<std::string> strategies{"model"};
  size_t budget = 200;
  size_t seeds = 20;
  uint64_t first_seed = 1;
  size_t batch = 1;
  bool counters = false;  // give the strategy what was counted of each configuration, where that is known
  bool noise = false;     // tune repeatedly with samples drawn anew, and race at the end
};

struct TuneReplaySpace {
  std::string space;  // "": all of them together
  std::string device;
  size_t configurations = 0;
  size_t failing = 0;
  size_t within_5 = 0;  // configurations
  size_t within_1 = 0;
  std::optional<double> to_5;  // evaluations, median over the seeds; empty: half of them never get there
  std::optional<double> to_1;
  std::optional<double> rounds_to_1;  // questions, of `batch` configurations each
  double missed_5 = 0;                // shares of the runs
  double missed_1 = 0;
  double last_ratio = 0;              // best found over best of the space, mean
  double score = 0;                   // 0: random search; 1: the optimum at once
  std::optional<double> correlation;  // rank correlation of the prediction from counters with the time
  double seconds = 0;                 // that the searcher itself takes, per run
};

struct TuneNoiseSpace {
  std::string space;
  size_t tunings = 0;
  double noise = 0;  // coefficient of variation of the samples, median
  double held = 0;   // share of the tunings whose tie group holds the best evaluated configuration
  double regret = 0;
  double worst_regret = 0;
  double flips = 0;  // share of repeated tunings that name another winner
  double tie_group = 0;
  double samples = 0;
};

struct TuneReplayStrategy {
  std::string strategy;
  std::vector<TuneReplaySpace> spaces;
  TuneReplaySpace all;
  std::vector<TuneNoiseSpace> noise;
};

struct TuneReplayReport {
  TuneReplayRequest request;
  std::vector<TuneReplayStrategy> strategies;
};

Result<TuneReplayReport> replay_tuning(const TuneReplayRequest& request, const Context& context = {});
std::string to_json(const TuneReplayReport& report);

// --- ask and tell: the searcher for anything that can be evaluated. One JSON object a line; docs/cli/tune.md.
class TuneAsk {
 public:
  TuneAsk();
  ~TuneAsk();
  TuneAsk(const TuneAsk&) = delete;
  TuneAsk& operator=(const TuneAsk&) = delete;

  // The lines to answer one line with. After an error nothing more can be understood.
  Result<std::vector<std::string>> hear(const std::string& line);
  bool waiting() const;  // a question is open

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::work
