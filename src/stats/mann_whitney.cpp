// SPDX-License-Identifier: MIT
#include "stats/mann_whitney.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/distribution.hpp"

namespace assay::stats {
namespace {

struct Ranking {
  double u = 0;
  double tie_term = 0;  // sum of t^3 - t over groups of t equal values
};

Ranking rank(std::span<const double> first, std::span<const double> second) {
  Ranking ranking;
  size_t i = 0;
  size_t j = 0;
  while (i < first.size() || j < second.size()) {
    const double value = j == second.size() || (i < first.size() && first[i] <= second[j]) ? first[i] : second[j];
    const size_t smaller = j;
    size_t equal_first = 0;
    size_t equal_second = 0;
    while (i < first.size() && first[i] == value) ++i, ++equal_first;
    while (j < second.size() && second[j] == value) ++j, ++equal_second;
    ranking.u +=
        static_cast<double>(equal_first) * (static_cast<double>(smaller) + 0.5 * static_cast<double>(equal_second));
    const auto ties = static_cast<double>(equal_first + equal_second);
    ranking.tie_term += ties * ties * ties - ties;
  }
  return ranking;
}

// P(U >= u) by the exact distribution.
double exact_at_least(double u, size_t n, size_t m) {
  const std::vector<double> distribution = mann_whitney_distribution(n, m);
  double sum = 0;
  for (size_t k = distribution.size(); k-- > static_cast<size_t>(std::max(0.0, u));) sum += distribution[k];
  return std::min(1.0, sum);
}

// P(U >= u) by the normal approximation.
double normal_at_least(double u, double n, double m, double tie_term) {
  const double all = n + m;
  const double variance = n * m / 12.0 * (all + 1.0 - (all > 1 ? tie_term / (all * (all - 1.0)) : 0.0));
  if (variance <= 0) return 1;  // all values are equal
  return normal_above((u - n * m / 2.0 - 0.5) / std::sqrt(variance));
}

}  // namespace

double mann_whitney_u(const Sample& first, const Sample& second) {
  return rank(first.sorted(), second.sorted()).u;
}

// An ordering of n + m values ends with one of the first sample (probability n / (n + m)), which then exceeds all m of
// the second, or with one of the second. Only sums of positive terms, so no digits are lost.
std::vector<double> mann_whitney_distribution(size_t n, size_t m) {
  std::vector<std::vector<double>> row(m + 1, std::vector<double>{1.0});  // row[j]: i of the first, j of the second
  for (size_t i = 1; i <= n; ++i) {
    row[0] = {1.0};
    for (size_t j = 1; j <= m; ++j) {
      std::vector<double> next(i * j + 1, 0.0);
      const double last_is_first = static_cast<double>(i) / static_cast<double>(i + j);
      for (size_t u = 0; u < row[j].size(); ++u) next[u + j] += last_is_first * row[j][u];
      for (size_t u = 0; u < row[j - 1].size(); ++u) next[u] += (1.0 - last_is_first) * row[j - 1][u];
      row[j] = std::move(next);
    }
  }
  return row[m];
}

MannWhitney mann_whitney(const Sample& first, const Sample& second, Alternative alternative) {
  const auto [u, tie_term] = rank(first.sorted(), second.sorted());
  const auto n = static_cast<double>(first.size());
  const auto m = static_cast<double>(second.size());
  MannWhitney result{.u = u, .exact = tie_term == 0 && n * m <= kExactPairs};
  const auto at_least = [&](double value) {
    return result.exact ? exact_at_least(value, first.size(), second.size()) : normal_at_least(value, n, m, tie_term);
  };
  switch (alternative) {
    case Alternative::greater:
      result.p = at_least(u);
      break;
    case Alternative::less:
      result.p = at_least(n * m - u);
      break;
    case Alternative::two_sided:
      result.p = 2.0 * at_least(std::max(u, n * m - u));
      break;
  }
  result.p = std::min(1.0, result.p);
  return result;
}

}  // namespace assay::stats
