// SPDX-License-Identifier: MIT
#include "claims/figure.hpp"

#include <gtest/gtest.h>

namespace assay::claims {
namespace {

TEST(Figure, says_how_far_its_rounding_goes) {
  EXPECT_DOUBLE_EQ(figure_at("5.79 us", 0)->half_unit, 0.005);
  EXPECT_DOUBLE_EQ(figure_at("1,760", 0)->value, 1760);
  EXPECT_DOUBLE_EQ(figure_at("1,760", 0)->half_unit, 0.5);
  EXPECT_DOUBLE_EQ(figure_at("3.3e-04", 0)->value, 3.3e-4);
  EXPECT_DOUBLE_EQ(figure_at("3.3e-04", 0)->half_unit, 0.05e-4);
  EXPECT_DOUBLE_EQ(figure_at("-0.8", 0)->value, -0.8);
  EXPECT_EQ(figure_at("5.87, 93", 0)->text, "5.87");
  EXPECT_EQ(figure_at("12,34", 0)->text, "12") << "a group has three digits";
  EXPECT_FALSE(figure_at("us", 0).has_value());
  EXPECT_FALSE(figure_at("1e999", 0).has_value()) << "it would agree with anything";
  EXPECT_FALSE(figure_at("", 0).has_value());
}

TEST(Figure, agrees_within_its_rounding_and_no_further) {
  const Figure figure = *figure_at("5.79", 0);
  for (const double truth : {5.785, 5.79, 5.795}) EXPECT_TRUE(figure.agrees(truth)) << truth;
  for (const double truth : {5.7849, 5.7951, 0.0, -5.79, 1e300}) EXPECT_FALSE(figure.agrees(truth)) << truth;
  EXPECT_FALSE(figure.agrees(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(figure.agrees(std::numeric_limits<double>::infinity()));
}

TEST(Figure, the_last_one_of_a_text_is_no_part_of_a_word) {
  EXPECT_EQ(last_figure("from 21.59 to 21.28 us")->text, "21.28");
  EXPECT_EQ(last_figure("1.08 (s2048 full, 4k)")->text, "1.08");
  EXPECT_EQ(last_figure("it is 1.5x faster")->text, "1.5");
  EXPECT_EQ(last_figure("about 12 %")->text, "12");
  EXPECT_EQ(last_figure("**1.16**")->text, "1.16");
  EXPECT_FALSE(last_figure("d128_s512").has_value());
}

}  // namespace
}  // namespace assay::claims
