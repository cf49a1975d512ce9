// SPDX-License-Identifier: MIT
// The ratio of two times from blocks of samples, honest about correlation.
//
// Samples that were taken one after the other resemble each other (clocks, temperature, neighbours), so a thousand of
// them are worth far fewer independent ones. Blocks are the unit instead: one number per block, and the scatter between
// blocks is the noise. Where blocks of both sides were taken side by side, only the ratio within each pair counts, and
// whatever slow drift both sides share cancels; in ABBA order a linear drift cancels between neighbouring pairs as
// well.
#pragma once

#include <cstddef>
#include <span>

#include "stats/interval.hpp"

namespace assay::stats {

struct RatioEstimate {
  double log_ratio = 0;
  double standard_error = 0;  // of log_ratio
  double degrees = 0;         // of freedom; 0 if there are too few blocks to tell the noise
  size_t units = 0;           // blocks or pairs of blocks that count as independent

  bool usable() const { return degrees >= 1; }
  double ratio() const;
  // The tests and intervals are Student's; without noise (all blocks agree to the last bit) they are certain.
  Interval interval(double confidence) const;
  double p_slower() const;     // one-sided, against ratio <= 1
  double p_faster() const;     // one-sided, against ratio >= 1
  double p_different() const;  // two-sided
  // Two one-sided tests: the ratio lies within [1 / (1 + margin), 1 + margin].
  double p_outside(double margin) const;
};

// The part of the block ratios that is trimmed at each end, so that a disturbed block does not decide.
inline constexpr double kBlockTrim = 0.1;

// From one log ratio per pair of blocks. At least one. `process_spread` is the relative deviation of a process's level:
// what is the same in all of its blocks, and other in the next process that runs the same, no scatter of blocks shows.
RatioEstimate paired_ratio(std::span<const double> log_ratios, double process_spread);

// From blocks of two separate runs: one log time per block. `run_spread` is the relative deviation of a whole run's
// level (another day, another temperature), which no scatter within the runs can show.
RatioEstimate unpaired_ratio(std::span<const double> numerator_logs, std::span<const double> denominator_logs,
                             double run_spread);

}  // namespace assay::stats
