// SPDX-License-Identifier: MIT
// Replays strategies on recorded spaces: how many evaluations until within 5 % and 1 % of the best, how many runs never
// get there, and the score of the methodology for comparing auto-tuners (docs/tuning.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tune/recorded_space.hpp"
#include "tune/strategy.hpp"

namespace assay::tune {

struct ReplayOptions {
  std::string strategy = "model";
  size_t budget = 200;
  size_t seeds = 20;
  uint64_t first_seed = 1;
  size_t batch = 1;
  bool counters = false;  // give the strategy what was counted, where the space has it
};

// One strategy with one seed on one space.
struct ReplayRun {
  std::vector<double> best_so_far;  // after each evaluation; infinity while nothing ran
  std::optional<size_t> to_5;       // evaluations; empty: never
  std::optional<size_t> to_1;
  size_t rounds_to_1 = 0;  // proposals until then, or all of them
  double last_ratio = 0;   // best found over the best of the space
};
ReplayRun replay_once(const RecordedSpace& recorded, const ReplayOptions& options, uint64_t seed);

// All seeds of one space.
struct ReplaySummary {
  std::string space;
  std::string device;
  size_t configurations = 0;
  size_t failing = 0;
  size_t within_5 = 0;
  size_t within_1 = 0;
  std::optional<double> to_5;  // median over the seeds; empty: half of them never get there
  std::optional<double> to_1;
  std::optional<double> rounds_to_1;
  double missed_5 = 0;  // shares of the seeds
  double missed_1 = 0;
  double last_ratio = 0;  // mean
  double score = 0;
  std::optional<double> correlation;  // rank correlation of prediction and time, if there are counters
  double seconds = 0;                 // of the strategy itself, per run
};
Result<ReplaySummary> replay(const RecordedSpace& recorded, const ReplayOptions& options);

// Medians of medians, means of shares and scores.
struct ReplayTotal {
  std::optional<double> to_5, to_1, rounds_to_1;
  double missed_5 = 0, missed_1 = 0, last_ratio = 0, score = 0, seconds = 0;
};
ReplayTotal total(const std::vector<ReplaySummary>& spaces);

// The same tuning again and again with samples drawn anew from the recorded ones, a race at the end: does the tie group
// hold the best of those that were evaluated, what does the answer lose against it, and how often does it change?
struct NoiseSummary {
  std::string space;
  size_t tunings = 0;
  double noise = 0;   // median coefficient of variation of the samples
  double held = 0;    // share of the tunings whose tie group holds the best evaluated one
  double regret = 0;  // mean of answer over best evaluated, less 1
  double worst_regret = 0;
  double flips = 0;      // share of the pairs of successive tunings, same seed, that named different winners
  double tie_group = 0;  // mean size
  double samples = 0;    // of the race, mean
};
// Nothing for a space without samples.
std::optional<NoiseSummary> replay_noisy(const RecordedSpace& recorded, const ReplayOptions& options);

// Random search as calculated: expected best after each of `draws` evaluations of the times, sorted.
std::vector<double> random_baseline(const std::vector<double>& sorted, size_t draws);
// Draws after which the baseline has come 95 % of the way from the median to the best.
size_t baseline_budget(const std::vector<double>& sorted);
double performance_score(const RecordedSpace& recorded, const std::vector<ReplayRun>& runs, size_t evaluations);

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace assay::tune
