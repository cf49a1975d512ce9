// SPDX-License-Identifier: MIT
#include "stats/quantile.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(Quantile, agrees_with_numpy_for_odd_and_even_counts) {
  const double probabilities[] = {0, 0.1, 0.25, 0.5, 0.9, 0.99, 1};
  for (const auto& [values, expected] :
       {std::pair{golden::times, golden::times_quantiles}, {golden::medium_a, golden::medium_a_quantiles}}) {
    const Sample s = sample(values);
    for (size_t i = 0; i < std::size(probabilities); ++i) {
      EXPECT_NEAR(quantile(s.sorted(), probabilities[i]), expected[i], 1e-12) << probabilities[i];
    }
  }
}

TEST(Quantile, stays_within_the_values) {
  const std::vector<double> values{1, 2};
  EXPECT_EQ(quantile(values, -1), 1);
  EXPECT_EQ(quantile(values, 2), 2);
  EXPECT_EQ(median(values), 1.5);
  EXPECT_EQ(median_of(std::vector<double>{9, 1, 5}), 5);
}

}  // namespace
}  // namespace assay::stats
