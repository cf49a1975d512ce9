// SPDX-License-Identifier: MIT
// The last step of a tuning: the configurations that may be the best are sampled again, interleaved, until the group is
// separated, equivalent within the margin, or the budget ends. The answer is a tie group: all whose ratio to the best
// may be 1, or lies within the margin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace assay::tune {

struct RaceOptions {
  double margin = 0.002;    // a ratio this close to 1 is called equal
  size_t samples = 7;       // of each configuration in a round
  size_t rounds = 12;       // at most
  double deviations = 2.6;  // standard errors that a difference must exceed
};

struct RaceStanding {
  size_t configuration = 0;
  double milliseconds = 0;  // geometric mean of what the race measured
  bool tied = false;        // belongs to the tie group
  size_t samples = 0;
};

// Who takes part, of those that were evaluated: the fastest 24 that are within 5 % of the fastest. `measured` is
// sorted.
std::vector<size_t> finalists(const std::vector<std::pair<double, size_t>>& measured);

class Race {
 public:
  // At least one configuration; each once.
  Race(const std::vector<size_t>& configurations, const RaceOptions& options, uint64_t seed);

  // Who is to be measured next; nothing once it is decided. One at a time.
  struct Heat {
    size_t configuration = 0;
    size_t samples = 0;
  };
  std::optional<Heat> next();
  // What the heat of the configuration that next() named came to: the mean of its samples, or several such. None: it
  // failed this time and is out.
  void add(size_t configuration, std::span<const double> milliseconds);
  // One that came late and was measured as often as the others.
  void join(size_t configuration, std::span<const double> milliseconds);

  // Best first.
  std::vector<RaceStanding> standings() const;
  // How much slower than any other of the tie group the first of the standings may be, at worst: 0.003 is 0.3 %.
  double regret_bound() const;
  // The same of another one that was sampled: whoever answers with it loses more. Nothing of one that was not.
  std::optional<double> regret_bound(size_t configuration) const;

 private:
  struct Runner {
    size_t configuration = 0;
    std::vector<double> logs;
    bool out = false;
  };
  struct Estimate {
    double mean = 0;
    double error = 0;  // standard error
  };
  Runner* find(size_t configuration);
  double pooled_deviation() const;
  double needed_deviations() const;
  Estimate estimate(const Runner& runner, double deviation) const;
  const Runner* leader() const;
  double may_lose(const Runner& chosen) const;
  void close_round();

  RaceOptions options_;
  Random random_;
  std::vector<Runner> runners_;
  std::vector<size_t> heats_;  // of this round, the next one last
  size_t round_ = 0;
  bool decided_ = false;
};

}  // namespace assay::tune
