// SPDX-License-Identifier: MIT
// Searches the configurations of a kernel, replays searches on recorded spaces, and lends the searcher to others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/executor.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

// --- replay: how good is a strategy, on spaces of which everything is known?
struct TuneReplayRequest {
  std::vector<std::string> spaces;  // Kernel Tuner's caches or T4, plain, compressed or cut off
  std::string synthetic;            // "choosing", "judging", "harder", "all" (the first two); empty: none
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

// --- a kernel's own configurations
struct TuneRequest {
  KernelChoice choice;               // its configuration restricts the space: "BLOCK_M=128" leaves the others free
  std::string shapes = "canonical";  // a set of the specification
  std::string shape;                 // "NAME=value,...": only this one
  std::vector<std::string> only;     // these configurations and no others, all of them; empty: the space
  std::string strategy = "model";    // or "exhaustive", "random", "annealing", "genetic"
  size_t budget = 200;               // evaluations; the whole space if it is smaller
  size_t batch = 0;                  // proposed together and built at once; 0: as many as there are cores, at most 8
  double seconds = 0;                // stop after so long and keep what there is; 0: no limit
  bool resume = false;               // go on with what an interrupted run measured
  std::string journal;               // the file of what was measured; empty: in the cache folder; "none": nowhere
  bool race = true;                  // those that may be the best, in the end
  bool counters = true;      // count some blocks of what is built on a virtual GPU, and begin with what they say
  ExecutorOptions executor;  // who evaluates
  uint64_t seed = 1;
  CaseLimits limits;
  RecordOptions record;
  bool page = false;  // write the HTML report, if it is recorded
};

// One configuration that was evaluated.
struct TunedConfiguration {
  std::string configuration;
  std::optional<double> value;  // geometric mean over the shapes, in the report's unit; empty: it failed
  std::vector<double> by_shape;
  std::string failure;  // "compile", "does_not_fit", "incorrect", "runtime", "timeout"; "" if none. "machine": of a
                        // worker, and nothing is known of the configuration
  std::string message;  // what is wrong
  std::optional<int> registers;
  std::optional<int64_t> shared_bytes;
  double compile_s = 0;
  double check_s = 0;
  double measure_s = 0;
  bool bailed_out = false;  // its fastest sample was far behind the best: fewer samples than the others
  bool recalled = false;    // from the journal of an interrupted run
  std::vector<std::vector<double>> samples;  // by shape
};

// A GPU that took part. Times of different GPUs are never compared: each candidate is measured beside the same
// configuration there, and what counts is the ratio.
struct TuneDevice {
  std::string device;  // its UUID; "virtual"
  std::string gpu;
  std::vector<std::string> hosts;
  size_t evaluations = 0;
  std::vector<double> beside;          // what that configuration took there, by shape; the median of all times
  std::vector<std::string> tie_group;  // of its own race; empty: it had none
  bool disagrees = false;              // the answer is not in its tie group
};

struct TuneWinner {
  std::string shape;
  std::string configuration;
  double value = 0;
  double best_single = 0;  // what the best single configuration takes there
};

// What a virtual GPU counted of configurations that were built, before the first evaluation and since.
struct TuneCounters {
  bool used = false;
  std::string why_not;    // if not
  size_t built = 0;       // before the first evaluation
  size_t counted = 0;     // in all
  double compile_s = 0;   // before the first evaluation; a part of the report's
  double count_s = 0;     // of the virtual GPU, in all
  std::string predicted;  // the configuration that was expected to be the best, when the first one was evaluated
};

struct TuneDetails;

struct TuneReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string specification;
  std::string page;  // the HTML report that was written; "": none
  std::string device;
  std::string gpu;                                       // the model: "h200"
  std::string target;                                    // what it was built for: "sm_90a"
  std::map<std::string, std::string> depends_on;         // what the results depend on, in words
  std::string quantity;                                  // "measured time" or "estimated cycles"
  std::string unit;                                      // "ms" or "cycles"
  size_t configurations = 0;                             // of the space that was searched
  bool listed = true;                                    // false: there are too many, and parts of them were looked at
  double combinations = 0;                               // of the tunables, before constraints
  double legal = 0;                                      // of them, by the constraints
  double legal_error = 0;                                // relative standard error of that; 0: it is exact
  std::vector<std::pair<std::string, size_t>> left_out;  // before anything was built: why, and how many
  std::vector<TunedConfiguration> evaluated;             // in the order of their evaluation
  size_t recalled = 0;                                   // of them, from the journal
  std::string started_anew;                              // why the journal could not be used; empty: it could
  bool interrupted = false;                              // by the limit of time
  std::string answer;                                    // a configuration of the tie group
  std::string criterion;                                 // by which it was taken
  std::vector<std::string> tie_group;
  std::optional<double> regret_bound;           // of the answer: 0.003, at most 0.3 % behind the best evaluated one
  std::map<std::string, double> regret_bounds;  // of everyone that was raced, or that ties
  std::string beside;               // the configuration that every GPU measured too; empty: one device alone
  std::vector<TuneDevice> devices;  // with an executor
  TuneCounters counters;
  size_t workers_started = 0;
  std::vector<std::string> shapes;
  std::vector<TuneWinner> winners;  // one for each shape
  std::string best_worst;           // whose worst shape, beside the winners, is the best
  double compile_s = 0, check_s = 0, measure_s = 0, wall_s = 0;
  std::optional<double> cost;  // at the price per hour, if there is one
  std::shared_ptr<const TuneDetails> details;
};

Result<TuneReport> tune(const TuneRequest& request, const Context& context = {});
std::string to_json(const TuneReport& report);
// "which configuration for which shape", for programs: "header" (C), "toml" or "json"; for other tuners' tools: "t4" or
// "kernel_tuner".
Result<std::string> export_tuning(const TuneReport& report, const std::string& format);

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
