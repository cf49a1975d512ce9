// SPDX-License-Identifier: MIT
#include "stats/trimmed_mean.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace assay::stats {

TrimmedMean trimmed_mean(std::span<const double> values, double trim) {
  assert(!values.empty() && trim >= 0 && trim < 0.5);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t count = sorted.size();
  const auto cut = static_cast<size_t>(trim * static_cast<double>(count));
  const size_t kept = count - 2 * cut;
  TrimmedMean result;
  for (size_t i = cut; i < count - cut; ++i) result.mean += sorted[i];
  result.mean /= static_cast<double>(kept);
  result.degrees = static_cast<double>(kept) - 1.0;
  if (kept < 2) return result;

  for (size_t i = 0; i < cut; ++i) sorted[i] = sorted[cut], sorted[count - 1 - i] = sorted[count - 1 - cut];
  const auto n = static_cast<double>(count);
  double mean = 0;
  for (const double value : sorted) mean += value;
  mean /= n;
  double squares = 0;
  for (const double value : sorted) squares += (value - mean) * (value - mean);
  result.standard_error = std::sqrt(squares / (n - 1.0) * n) / static_cast<double>(kept);
  return result;
}

std::span<const double> middle_half(std::span<const double> sorted) {
  const size_t cut = sorted.size() < 3 ? 0 : (sorted.size() + 3) / 4;
  return sorted.subspan(cut, sorted.size() - 2 * cut);
}

double midmean(std::span<const double> values) {
  assert(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const std::span<const double> middle = middle_half(sorted);
  double sum = 0;
  for (const double value : middle) sum += value;
  return sum / static_cast<double>(middle.size());
}

}  // namespace assay::stats
