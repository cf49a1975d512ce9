// SPDX-License-Identifier: MIT
#include "stats/sample.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::stats {
namespace {

TEST(Sample, keeps_the_order_of_arrival_and_a_sorted_copy) {
  const auto made = Sample::make({3, 1, 2});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->values()[0], 3);
  EXPECT_EQ(made->sorted()[0], 1);
  EXPECT_EQ(made->sorted()[2], 3);
  EXPECT_TRUE(made->positive());
  const Sample twice = made->scaled(2);
  EXPECT_EQ(twice.values()[0], 6);
  EXPECT_EQ(twice.sorted()[0], 2);
}

TEST(Sample, refuses_nothing_and_what_is_not_finite_by_name_and_number) {
  EXPECT_EQ(Sample::make({}, "times").error().message, "times: there is no value");
  EXPECT_EQ(Sample::make({1, NAN}, "times").error().message, "times: value 2 of 2 is nan");
  EXPECT_FALSE(Sample::make({INFINITY}).ok());
  EXPECT_FALSE(Sample::make({0, 1})->positive());
}

}  // namespace
}  // namespace assay::stats
