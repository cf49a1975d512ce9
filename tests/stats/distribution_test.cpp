// SPDX-License-Identifier: MIT
#include "stats/distribution.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "golden.hpp"

namespace assay::stats {
namespace {

void expect_relative(double got, double expected, double tolerance = 1e-10) {
  EXPECT_NEAR(got / expected, 1.0, tolerance) << got << " instead of " << expected;
}

TEST(Distribution, agrees_with_scipy) {
  expect_relative(normal_below(-1.5), golden::normal_values[0]);
  expect_relative(normal_above(8.0), golden::normal_values[1]);
  expect_relative(normal_quantile(0.001), golden::normal_values[2]);
  expect_relative(student_below(-2.1, 7), golden::student_values[0]);
  expect_relative(student_above(30.0, 5), golden::student_values[1]);
  expect_relative(student_quantile(0.995, 3.5), golden::student_values[2]);
  expect_relative(chi_squared_above(3.0, 2), golden::chi_squared_values[0]);
  expect_relative(chi_squared_above(200.0, 10), golden::chi_squared_values[1]);
  expect_relative(beta_quantile(0.025, 3, 98), golden::beta_values[0]);
  expect_relative(beta_quantile(0.975, 1, 200), golden::beta_values[1]);
}

TEST(Distribution, has_ends_instead_of_errors) {
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
  EXPECT_EQ(student_quantile(1, 3), INFINITY);
  EXPECT_EQ(student_below(INFINITY, 3), 1);
  EXPECT_EQ(student_above(INFINITY, INFINITY), 0);
  EXPECT_EQ(chi_squared_above(-1, 3), 1);
  EXPECT_EQ(chi_squared_above(INFINITY, 3), 0);
  EXPECT_EQ(beta_quantile(0, 1, 1), 0);
  EXPECT_DOUBLE_EQ(student_quantile(0.9, INFINITY), normal_quantile(0.9));
}

}  // namespace
}  // namespace assay::stats
