// SPDX-License-Identifier: MIT
// The ratio of two times, honest about what is independent of what.
//
// Samples that were taken one after the other resemble each other (clocks, temperature, neighbours), and all samples of
// a process share its level. A thousand of them are worth far fewer independent ones. So the unit is the process, or at
// least a batch of samples: one number for each, and the scatter between them is the noise. Where units of both sides
// were taken side by side, only the ratio within each pair counts, and whatever drift both sides share cancels; in ABBA
// order a linear drift cancels between neighbouring pairs as well.
#pragma once

#include <cstddef>
#include <span>

#include "stats/interval.hpp"

namespace assay::stats {

struct RatioEstimate {
  double log_ratio = 0;
  double standard_error = 0;  // of log_ratio
  double degrees = 0;         // of freedom; 0 if there are too few units to tell the noise
  size_t units = 0;           // that count as independent
  double hidden = 0;          // log_ratio may be off by so much beside its error: what no unit can show

  bool usable() const { return degrees >= 1; }
  double ratio() const;
  // The tests and intervals are Student's; without noise (all units agree to the last bit) they are certain.
  Interval interval(double confidence) const;
  Interval noise_interval(double confidence) const;  // as if nothing were hidden
  double p_slower() const;                           // one-sided, against ratio <= 1
  double p_faster() const;                           // one-sided, against ratio >= 1
  double p_different() const;                        // two-sided
  // Two one-sided tests: the ratio lies within [1 / (1 + margin), 1 + margin].
  double p_outside(double margin) const;
};

// From one log ratio per pair of processes: Student's interval. `expected_deviation` is how much such ratios were seen
// to differ on this machine before; it counts as much as kExpectedUnits pairs, and only where they differ less now, so
// that a few pairs which agree by luck are not believed. 0: nothing is known.
RatioEstimate paired_ratio(std::span<const double> log_ratios, double expected_deviation);
inline constexpr double kExpectedUnits = 6;

// How much of the batch ratios is trimmed at each end, so that a disturbed batch does not decide.
inline constexpr double kBatchTrim = 0.1;

// From one log ratio per pair of batches of one pair of processes. `process_spread` is the relative deviation of a
// process's level: what is the same in all of its batches, and other in the next process, no scatter of batches shows.
RatioEstimate trimmed_ratio(std::span<const double> log_ratios, double process_spread);

// From units of two separate runs: one log time per unit. `run_spread` is the relative deviation of a whole run's
// level (another day, another temperature), which no scatter within the runs can show.
RatioEstimate unpaired_ratio(std::span<const double> numerator_logs, std::span<const double> denominator_logs,
                             double run_spread);

}  // namespace assay::stats
