// SPDX-License-Identifier: MIT
#include "vgpu/semantics/compare.hpp"

#include <gtest/gtest.h>

namespace assay::vgpu::semantics {
namespace {

using enum Comparison;

TEST(Compare, OrderedFormsAreFalseForNan) {
  const float nan = float_of(kNanF32);
  EXPECT_FALSE(compare<eq>(nan, nan));
  EXPECT_FALSE(compare<ne>(nan, 1.0f));
  EXPECT_FALSE(compare<lt>(nan, 1.0f));
  EXPECT_FALSE(compare<ge>(1.0f, nan));
  EXPECT_TRUE(compare<ne>(2.0f, 1.0f));
  EXPECT_TRUE(compare<eq>(0.0f, -0.0f));
}

TEST(Compare, UnorderedFormsAreTrueForNan) {
  const double nan = double_of(kNanF64);
  EXPECT_TRUE(compare<equ>(nan, 1.0));
  EXPECT_TRUE(compare<neu>(nan, nan));
  EXPECT_TRUE(compare<ltu>(nan, 1.0));
  EXPECT_TRUE(compare<leu>(1.0, nan));
  EXPECT_TRUE(compare<gtu>(1.0, nan));
  EXPECT_TRUE(compare<geu>(nan, nan));
  EXPECT_FALSE(compare<ltu>(2.0, 1.0));
  EXPECT_TRUE(compare<equ>(1.0, 1.0));
  EXPECT_FALSE(compare<neu>(1.0, 1.0));
  EXPECT_TRUE(compare<Comparison::nan>(nan, 1.0));
  EXPECT_FALSE(compare<num>(nan, 1.0));
  EXPECT_TRUE(compare<num>(2.0, 1.0));
}

TEST(Compare, FlushesBeforeComparing) {
  const float tiny = float_of(1u);
  EXPECT_TRUE((compare<gt, false>(tiny, 0.0f)));
  EXPECT_FALSE((compare<gt, true>(tiny, 0.0f)));
}

TEST(Compare, IntegersBySignedness) {
  EXPECT_TRUE(compare<lt>(int32_t{-1}, int32_t{0}));
  EXPECT_TRUE(compare<hi>(uint32_t{0xffffffff}, uint32_t{0}));
  EXPECT_TRUE(compare<ne>(int64_t{1}, int64_t{2}));
}

TEST(Compare, JoinsAndProperties) {
  EXPECT_TRUE(join<Join::logical_xor>(true, false));
  EXPECT_FALSE(join<Join::logical_and>(true, false));
  EXPECT_TRUE(join<Join::logical_or>(true, false));
  EXPECT_TRUE(has_property<Property::subnormal>(float_of(1u)));
  EXPECT_TRUE(has_property<Property::normal>(0.0f));
  EXPECT_TRUE(has_property<Property::infinite>(double_of(0xfff0000000000000u)));
  EXPECT_TRUE(has_property<Property::finite>(1.0));
  EXPECT_TRUE(has_property<Property::notanumber>(double_of(kNanF64)));
  EXPECT_FALSE(has_property<Property::number>(float_of(kNanF32)));
}

}  // namespace
}  // namespace assay::vgpu::semantics
