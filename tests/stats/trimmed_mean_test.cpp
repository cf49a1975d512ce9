// SPDX-License-Identifier: MIT
#include "stats/trimmed_mean.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(TrimmedMean, agrees_with_scipy) {
  const TrimmedMean result = trimmed_mean(golden::times, 0.1);
  EXPECT_NEAR(result.mean, golden::trimmed_times[0], 1e-12);
  EXPECT_NEAR(result.standard_error, golden::trimmed_times[1], 1e-12);
  EXPECT_EQ(result.degrees, golden::trimmed_times[2]);
}

TEST(TrimmedMean, without_trimming_is_the_mean) {
  const TrimmedMean result = trimmed_mean(std::vector<double>{1, 2, 3, 4}, 0);
  EXPECT_EQ(result.mean, 2.5);
  EXPECT_NEAR(result.standard_error, 0.6454972243679028, 1e-15);  // sqrt(5/3) / 2
  EXPECT_EQ(result.degrees, 3);
}

TEST(TrimmedMean, midmean_is_the_mean_of_the_middle_half) {
  EXPECT_NEAR(midmean(golden::times), golden::midmean_times, 1e-12);
  EXPECT_EQ(midmean(std::vector<double>{7}), 7);
  EXPECT_EQ(midmean(std::vector<double>{7, 9}), 8);
  EXPECT_EQ(midmean(std::vector<double>{7, 900, 9}), 9);
  EXPECT_EQ(midmean(std::vector<double>{1, 900, 9, 10}), 9.5);
  EXPECT_EQ(midmean(std::vector<double>{1, 2, 3, 800, 900}), 3);
}

TEST(TrimmedMean, does_not_hear_the_odd_one_out) {
  std::vector<double> values{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const double clean = trimmed_mean(values, 0.1).mean;
  values[9] = 1e9;
  EXPECT_EQ(trimmed_mean(values, 0.1).mean, clean);
  EXPECT_EQ(trimmed_mean(std::vector<double>{4}, 0.1).degrees, 0);
}

}  // namespace
}  // namespace assay::stats
