// SPDX-License-Identifier: MIT
// The Mann-Whitney U test: does one sample tend to larger values than the other? Assumes independent values.
#pragma once

#include <vector>

#include "stats/sample.hpp"

namespace assay::stats {

enum class Alternative { two_sided, less, greater };  // what the first sample tends to, if not the same

struct MannWhitney {
  double u = 0;  // pairs in which the first sample's value is larger, ties counting half
  double p = 1;
  bool exact = false;  // from the exact distribution, not the normal approximation
};

// Exact if there are no ties and at most kExactPairs pairs; otherwise normal, with the corrections for ties and for
// continuity.
inline constexpr double kExactPairs = 900;
MannWhitney mann_whitney(const Sample& first, const Sample& second, Alternative alternative = Alternative::two_sided);

double mann_whitney_u(const Sample& first, const Sample& second);  // O(n + m)

// P(U = u) for u = 0 ... n * m, without ties.
std::vector<double> mann_whitney_distribution(size_t n, size_t m);

}  // namespace assay::stats
