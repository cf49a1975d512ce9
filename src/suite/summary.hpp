// SPDX-License-Identifier: MIT
// A suite's rows in a few figures.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "suite/row.hpp"

namespace assay::suite {

// The mean that ratios have. An error if there is none: no values, or one that is not finite and above 0.
Result<double> geometric_mean(std::span<const double> values);

// Holm's correction over every comparison of the suite: a FASTER or SLOWER that does not survive it is INCONCLUSIVE.
// The number of comparisons.
size_t correct_for_many(std::vector<Row>& rows);

struct Extreme {
  size_t row = 0;  // its index
  double speedup = 0;
};

struct LeftOut {
  size_t row = 0;
  std::string reason;
};

// The speedups of some rows against one baseline.
struct Mean {
  std::string subject;            // a kernel, with its configuration if the suite has several of it; empty: all rows
  std::string baseline;           // empty: the fastest one of each row
  size_t count = 0;               // speedups that it is the mean of
  std::optional<double> speedup;  // geometric; nothing if count is 0
  std::optional<Extreme> best;
  std::optional<Extreme> worst;
  std::vector<LeftOut> left_out;  // rows with this baseline but without a speedup, and why
};

struct Summary {
  size_t measured = 0;
  size_t rejected = 0;
  size_t failed = 0;
  size_t skipped = 0;
  size_t resumed = 0;
  size_t comparisons = 0;
  std::vector<Mean> means;  // for each subject each baseline; then for all rows; against the fastest last
};

// After correct_for_many(), whose number is `comparisons`.
Summary summarize(const std::vector<Row>& rows, size_t comparisons);

// 5 if a kernel was rejected or could not be built or run; 6 if nothing but this machine is to blame; else 0.
ExitCode exit_code(const std::vector<Row>& rows);

// Kernels whose rows do not all have the same configuration.
std::set<std::string> kernels_with_several_configurations(const std::vector<Row>& rows);

}  // namespace assay::suite
