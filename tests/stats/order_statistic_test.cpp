// SPDX-License-Identifier: MIT
#include "stats/order_statistic.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace assay::stats {
namespace {

constexpr size_t kDraws = 20'000;

std::vector<double> drawn_without_resampling(std::span<const double> sorted, double p, uint64_t seed) {
  Random random(seed);
  const ResampledQuantile resampled(sorted, p);
  std::vector<double> values(kDraws);
  for (double& value : values) value = resampled.draw(random);
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<double> drawn_by_resampling(std::span<const double> sorted, double p, uint64_t seed) {
  Random random(seed);
  std::vector<double> values(kDraws);
  std::vector<double> resample(sorted.size());
  for (double& value : values) {
    for (double& point : resample) point = sorted[random.below(sorted.size())];
    std::sort(resample.begin(), resample.end());
    value = quantile(resample, p);
  }
  std::sort(values.begin(), values.end());
  return values;
}

// Kolmogorov's distance of two sorted samples, ties included.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (const std::vector<double>* points : {&a, &b}) {
    for (const double x : *points) {
      const auto below = [x](const std::vector<double>& v) {
        return static_cast<double>(std::upper_bound(v.begin(), v.end(), x) - v.begin()) / static_cast<double>(v.size());
      };
      largest = std::max(largest, std::abs(below(a) - below(b)));
    }
  }
  return largest;
}

// At 20,000 draws each, two samples of one distribution differ by 0.0195 with probability 0.001.
TEST(ResampledQuantile, has_the_distribution_of_real_resamples) {
  for (const size_t n : {1u, 2u, 3u, 10u, 25u, 40u}) {
    Random random(n);
    std::vector<double> sorted(n);
    for (double& value : sorted) value = random.normal();
    std::sort(sorted.begin(), sorted.end());
    for (const double p : {0.0, 0.5, 0.9, 0.99, 1.0}) {
      const double apart = distance(drawn_without_resampling(sorted, p, 1), drawn_by_resampling(sorted, p, 2));
      EXPECT_LT(apart, 0.0195) << "n = " << n << ", p = " << p << ", seeds 1 and 2";
    }
  }
}

TEST(ResampledQuantile, would_be_told_from_another_quantile) {
  const std::vector<double> sorted{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_GT(distance(drawn_without_resampling(sorted, 0.5, 1), drawn_by_resampling(sorted, 0.6, 2)), 0.1);
}

}  // namespace
}  // namespace assay::stats
