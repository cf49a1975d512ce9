// SPDX-License-Identifier: MIT
#include "stats/hodges_lehmann.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "stats/distribution.hpp"
#include "stats/mann_whitney.hpp"

namespace assay::stats {
namespace {

// Doubles as integers of the same order, so that bisection over all doubles takes 64 steps.
int64_t ordered(double value) {
  const auto bits = std::bit_cast<int64_t>(value == 0 ? 0.0 : value);
  return bits >= 0 ? bits : std::numeric_limits<int64_t>::min() - bits;
}

double from_ordered(int64_t order) {
  return std::bit_cast<double>(order >= 0 ? order : std::numeric_limits<int64_t>::min() - order);
}

// How many differences are <= limit. Rounding is monotone, so rounded differences are sorted along rows and columns.
double count_at_most(std::span<const double> first, std::span<const double> second, double limit) {
  double count = 0;
  size_t j = second.size();  // the first index whose difference is within the limit; falls as first[i] falls
  for (size_t i = first.size(); i-- > 0;) {
    while (j > 0 && first[i] - second[j - 1] <= limit) --j;
    count += static_cast<double>(second.size() - j);
  }
  return count;
}

// How many of the smallest differences lie below the interval: the Mann-Whitney test rejects shifts beyond them.
double differences_cut(size_t n, size_t m, double confidence) {
  const double tail = (1.0 - confidence) / 2.0;
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  if (pairs <= kExactPairs) {
    const std::vector<double> distribution = mann_whitney_distribution(n, m);
    double below = 0;
    size_t cut = 0;
    while (cut < distribution.size() && below + distribution[cut] <= tail) below += distribution[cut++];
    return static_cast<double>(cut);
  }
  const double deviation = std::sqrt(pairs * static_cast<double>(n + m + 1) / 12.0);
  return std::max(0.0, std::floor(pairs / 2.0 + normal_quantile(tail) * deviation));
}

}  // namespace

double nth_difference(const Sample& first, const Sample& second, double k) {
  const auto x = first.sorted();
  const auto y = second.sorted();
  assert(k >= 1 && k <= static_cast<double>(x.size()) * static_cast<double>(y.size()));
  int64_t low = ordered(x.front() - y.back());
  int64_t high = ordered(x.back() - y.front());
  while (low < high) {
    const int64_t middle = std::midpoint(low, high);  // rounds towards low
    if (count_at_most(x, y, from_ordered(middle)) >= k) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return from_ordered(low);
}

HodgesLehmann hodges_lehmann(const Sample& first, const Sample& second, double confidence) {
  const double pairs = static_cast<double>(first.size()) * static_cast<double>(second.size());
  const double lower = std::floor((pairs + 1) / 2);
  const double upper = std::floor(pairs / 2) + 1;
  HodgesLehmann result;
  result.shift = nth_difference(first, second, lower);
  if (upper != lower) result.shift = std::midpoint(result.shift, nth_difference(first, second, upper));
  // With too few pairs for the confidence the widest interval there is stands for "unbounded".
  const double cut = std::clamp(differences_cut(first.size(), second.size(), confidence), 1.0, lower);
  result.interval = {nth_difference(first, second, cut), nth_difference(first, second, pairs + 1 - cut)};
  return result;
}

HodgesLehmann hodges_lehmann_ratio(const Sample& first, const Sample& second, double confidence) {
  assert(first.positive() && second.positive());
  const auto logarithms = [](const Sample& sample) {
    std::vector<double> values(sample.values().begin(), sample.values().end());
    for (double& value : values) value = std::log(value);
    return Sample::make(std::move(values)).value();
  };
  HodgesLehmann result = hodges_lehmann(logarithms(first), logarithms(second), confidence);
  result.shift = std::exp(result.shift);
  result.interval = {std::exp(result.interval.low), std::exp(result.interval.high)};
  return result;
}

}  // namespace assay::stats
