// SPDX-License-Identifier: MIT
#include "stats/proportion.hpp"

#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

TEST(Proportion, agrees_with_scipy) {
  const auto check = [](size_t k, size_t n, const std::vector<double>& expected) {
    const Interval interval = clopper_pearson(k, n);
    EXPECT_NEAR(interval.low, expected[0], 1e-12);
    EXPECT_NEAR(interval.high, expected[1], 1e-12);
  };
  check(2, 200, golden::clopper_pearson_2_of_200);
  check(0, 200, golden::clopper_pearson_0_of_200);
  check(100, 100, golden::clopper_pearson_100_of_100);
}

TEST(Proportion, of_no_trials_is_unknown) {
  EXPECT_EQ(clopper_pearson(0, 0), (Interval{0, 1}));
}

}  // namespace
}  // namespace assay::stats
