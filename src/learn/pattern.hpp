// SPDX-License-Identifier: MIT
// What a change has brought, over all pairs of trials that differ in it alone.
//
// A pair is two trials at one place (kernel, device, shape, rules) of one source whose configurations differ in one
// tunable, or two sources of one configuration that were tried one after the other. Where the diagnoses of two such
// sources differ in one finding alone, the pair also tells what that finding cost. The ratio is the time before divided
// by the time after: above 1, the change paid.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "learn/trial.hpp"
#include "stats/interval.hpp"

namespace assay::learn {

struct Outcomes {
  size_t wins = 0;  // faster by more than the margin
  size_t ties = 0;
  size_t losses = 0;
  double median = 1;           // of the ratios
  stats::Interval interval{};  // of the median, 95 %, by order statistics; of few pairs it is their whole range
  double expected = 1;         // geometric mean, shrunk towards 1 ("unknown") as if kPrior pairs had said 1
  double seconds = 0;          // that finding out took
  double cost = 0;
  size_t count() const { return wins + ties + losses; }
};

inline constexpr double kMargin = 0.01;  // ratios nearer to 1 than this are ties
inline constexpr double kPrior = 3;      // pairs
inline constexpr size_t kShown = 3;      // fewer pairs are no pattern yet

struct Pattern {
  std::string kernel;
  std::string device;
  std::string action;  // "STAGES 2 -> 3", "source 1a2b3c4d -> 5e6f7a8b", "finding bank_conflicts mended"
  Outcomes outcomes;
};

Outcomes summarize(std::vector<double> ratios);

// Patterns of at least `least` pairs, those with the most to gain first. Each step of a tunable is put in the
// direction that pays.
std::vector<Pattern> mine(const std::vector<Trial>& trials, size_t least = kShown);

}  // namespace assay::learn
