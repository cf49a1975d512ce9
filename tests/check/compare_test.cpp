// SPDX-License-Identifier: MIT
#include "check/compare.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "check/element.hpp"
#include "tensor_builder.hpp"

namespace assay::check {
namespace {

using spec::DType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");
constexpr spec::Tolerance kTolerance{0.01, 0.1};

Comparison one(double expected, double got, DType type = DType::f16) {
  return compare(dense_tensor(type, {1}), std::vector<double>{expected}, std::vector<double>{got}, kTolerance);
}

TEST(Compare, ToleranceIsAbsolutePlusRelative) {
  EXPECT_TRUE(one(10, 11).passed());
  EXPECT_TRUE(one(0, 0.01).passed());
  EXPECT_TRUE(one(-10, -9).passed());
  EXPECT_FALSE(one(10, 11.02).passed());
  EXPECT_FALSE(one(0, 0.0101).passed());
  EXPECT_FALSE(one(1, -1).passed());
}

// No kernel can write what its type does not hold.
TEST(Compare, TheNearestNumberOfTheTypeIsRight) {
  const auto compared = [](DType type, double expected, double got, const spec::Tolerance& tolerance) {
    return compare(dense_tensor(type, {1}), std::vector<double>{expected}, std::vector<double>{got}, tolerance);
  };
  for (const DType type : {DType::e5m2, DType::e4m3, DType::f16, DType::bf16, DType::f32}) {
    const double third = round_to(type, 1.0 / 3.0);
    const Comparison right = compared(type, 1.0 / 3.0, third, {0, 0});
    EXPECT_TRUE(right.passed()) << static_cast<int>(type);
    EXPECT_DOUBLE_EQ(right.tolerance_used, 1) << static_cast<int>(type);
    EXPECT_FALSE(compared(type, 1.0 / 3.0, third + ulp(type, third), {0, 0}).passed()) << static_cast<int>(type);
    EXPECT_FALSE(compared(type, third, third + ulp(type, third), {0, 0}).passed()) << static_cast<int>(type);
  }
  EXPECT_TRUE(compared(DType::f16, 1000.25, 1000.5, {1e-5, 1e-5}).passed()) << "both neighbours of the middle";
  EXPECT_TRUE(compared(DType::f16, 1000.25, 1000, {1e-5, 1e-5}).passed());
  EXPECT_FALSE(compared(DType::f16, 1000.2, 1000.5, {1e-5, 1e-5}).passed());
  EXPECT_FALSE(compared(DType::f64, 1.0 / 3.0, 1.0 / 3.0 + 0x1p-54, {0, 0}).passed());
  EXPECT_TRUE(compared(DType::f16, 1e-9, 0, {0, 0}).passed()) << "less than half of the smallest number";
  EXPECT_FALSE(compared(DType::i32, 0.5, 0, {0, 0}).passed()) << "of integers this is a mistake of the reference";
}

TEST(Compare, NanAndInfinityFailWhereTheReferenceHasNone) {
  ASSERT_FALSE(one(1, kNaN).passed());
  EXPECT_EQ(one(1, kNaN).first->kind, MismatchKind::nan);
  ASSERT_FALSE(one(1, kInfinity).passed());
  EXPECT_EQ(one(1, kInfinity).first->kind, MismatchKind::infinite);
  EXPECT_FALSE(one(kInfinity, kNaN).passed());
}

TEST(Compare, NothingIsDemandedWithoutAResult) {
  for (const double got : {kNaN, kInfinity, 3.0}) {
    EXPECT_TRUE(one(kNaN, got).passed());
    EXPECT_EQ(one(kNaN, got).undefined, 1);
  }
}

TEST(Compare, InfinitiesMustAgree) {
  EXPECT_TRUE(one(kInfinity, kInfinity).passed());
  EXPECT_FALSE(one(kInfinity, -kInfinity).passed());
  EXPECT_FALSE(one(kInfinity, 65504).passed());
  EXPECT_EQ(one(-kInfinity, 1).first->kind, MismatchKind::not_infinite);
}

TEST(Compare, WhatTheTypeCannotHoldMayOverflow) {
  EXPECT_TRUE(one(1e6, kInfinity).passed());
  EXPECT_TRUE(one(1e6, 65504).passed());
  EXPECT_FALSE(one(1e6, 100).passed());
  EXPECT_FALSE(one(1e6, -kInfinity).passed());
  EXPECT_FALSE(one(1e6, kInfinity, DType::f32).passed());
  EXPECT_TRUE(one(64000, kInfinity).passed());  // within tolerance of what overflows
  EXPECT_FALSE(one(50000, kInfinity).passed());
  EXPECT_TRUE(one(1000, kNaN, DType::e4m3).passed());
  EXPECT_TRUE(one(kInfinity, 448, DType::e4m3).passed());
}

TEST(Compare, TellsTheFirstTheWorstAndHowMany) {
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6};
  const std::vector<double> got = {1, 2, 4, 4, 15, 6.001};
  const Comparison comparison = compare(dense_tensor(DType::f32, {2, 3}), expected, got, kTolerance);
  EXPECT_EQ(comparison.elements, 6);
  EXPECT_EQ(comparison.failures, 2);
  ASSERT_TRUE(comparison.first);
  EXPECT_EQ(comparison.first->index, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(comparison.first->expected, 3);
  EXPECT_EQ(comparison.first->got, 4);
  EXPECT_DOUBLE_EQ(comparison.first->relative_error, 1.0 / 3);
  EXPECT_DOUBLE_EQ(comparison.first->ulp_error, 0x1.0p22);
  EXPECT_EQ(comparison.worst->index, (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(comparison.max_absolute_error, 10);
  EXPECT_EQ(comparison.max_relative_error, 2);
}

TEST(Compare, NanIsWorseThanAnyNumber) {
  const Comparison comparison = compare(dense_tensor(DType::f32, {3}), std::vector<double>{1, 1, 1},
                                        std::vector<double>{1e30, kNaN, 1e35}, kTolerance);
  EXPECT_EQ(comparison.worst->index, (std::vector<int64_t>{1}));
  EXPECT_EQ(comparison.first->index, (std::vector<int64_t>{0}));
  EXPECT_EQ(comparison.max_absolute_error, 1e35 - 1);
}

TEST(Compare, UnwrittenFailsEvenIfTheValueIsRight) {
  const std::vector<double> values = {1, kNaN, 3};
  const std::vector<int64_t> unwritten = {0, 1};
  const Comparison comparison = compare(dense_tensor(DType::f32, {3}), values, values, kTolerance, unwritten);
  EXPECT_EQ(comparison.failures, 1) << "where the reference has no result, none need be written";
  EXPECT_EQ(comparison.compared(), 2);
  EXPECT_EQ(comparison.first->kind, MismatchKind::unwritten);
  EXPECT_NE(describe("y", *comparison.first).find("did not write"), std::string::npos);
}

// How near the worst element is to what is allowed, whichever has the largest error.
TEST(Compare, TellsHowMuchOfTheToleranceIsUsed) {
  const spec::Tolerance tolerance{0.5, 0.25};
  const auto used = [&](std::vector<double> expected, std::vector<double> got) {
    return compare(dense_tensor(DType::f32, {2}), expected, got, tolerance).tolerance_used;
  };
  EXPECT_EQ(used({1, 2}, {1, 2}), 0);
  EXPECT_DOUBLE_EQ(used({0, 6}, {0.25, 6.5}), 0.5) << "0.25 of 0.5, not 0.5 of 2";
  EXPECT_DOUBLE_EQ(used({0, 6}, {0, 10}), 2) << "too much";
  EXPECT_EQ(
      compare(dense_tensor(DType::f32, {1}), std::vector<double>{1}, std::vector<double>{1}, {0, 0}).tolerance_used, 0);
}

// A value that tolerance takes for zero has units of the last place that say nothing.
TEST(Compare, UnitsOfTheLastPlaceAreForValuesAwayFromZero) {
  const spec::Tolerance tolerance{1e-6, 1e-6};
  const auto compared = [&](double expected, double got) {
    return compare(dense_tensor(DType::f32, {1}), std::vector<double>{expected}, std::vector<double>{got}, tolerance);
  };
  EXPECT_EQ(compared(1e-14, 1.8e-7).max_ulp_error, 0);
  EXPECT_DOUBLE_EQ(compared(1, 1 + 0x1.0p-22).max_ulp_error, 2);
  const Comparison wrong = compared(0, 1);
  ASSERT_TRUE(wrong.first);
  EXPECT_EQ(describe("y", *wrong.first), "y[0]: expected 0, got 1, error 1 where 1e-06 is allowed");
}

TEST(Compare, Integers) {
  EXPECT_TRUE(one(7, 7, DType::i32).passed());
  EXPECT_FALSE(one(7, 9, DType::i32).passed());
  EXPECT_EQ(one(7, 9, DType::i32).first->ulp_error, 2);
}

constexpr uint64_t kFar = uint64_t{1} << 60;

Comparison of_words(DType type, uint64_t expected, uint64_t got, const spec::Tolerance& tolerance) {
  const auto numbers = [&](uint64_t word) { return reference::numbers_of_words({word}, integers_of(type)); };
  return compare(dense_tensor(type, {1}), numbers(expected), numbers(got), tolerance);
}

TEST(Compare, NeighboursBeyondWhatADoubleHoldsDiffer) {
  EXPECT_TRUE(of_words(DType::i64, kFar + 1, kFar + 1, {0, 0}).passed());
  const Comparison wrong = of_words(DType::i64, kFar + 1, kFar, {0, 0});
  ASSERT_FALSE(wrong.passed());
  EXPECT_EQ(describe("y", *wrong.first),
            "y[0]: expected 1152921504606846977, got 1152921504606846976, error 1 where 0 is allowed (8.67e-19 "
            "relative, 1 ULP)");
  EXPECT_EQ(wrong.max_absolute_error, 1);
  EXPECT_TRUE(of_words(DType::i64, kFar + 1, kFar, {1, 0}).passed());
  EXPECT_FALSE(of_words(DType::i64, kFar + 1, kFar - 1, {1, 0}).passed());
  EXPECT_FALSE(of_words(DType::i64, kFar + 1, kFar, {0.9, 0}).passed()) << "a part of one is nothing";
  EXPECT_FALSE(of_words(DType::i64, 3, kFar, {0, 0}).passed());
  EXPECT_FALSE(of_words(DType::i64, kFar, 3, {0, 0}).passed());
  EXPECT_TRUE(of_words(DType::u64, ~uint64_t{0}, ~uint64_t{0}, {0, 0}).passed());
  EXPECT_FALSE(of_words(DType::u64, ~uint64_t{0}, ~uint64_t{0} - 1, {0, 0}).passed());
  EXPECT_TRUE(of_words(DType::i64, ~uint64_t{0}, ~uint64_t{0}, {0, 0}).passed()) << "-1";
  EXPECT_FALSE(of_words(DType::i64, uint64_t{1} << 63, ~(uint64_t{1} << 63), {1e18, 0}).passed()) << "2^64 apart";
}

// What a reference computed in float64, beside what a kernel wrote.
TEST(Compare, DoublesBesideLargeIntegers) {
  const reference::Numbers got({3, 0x1p60}, {3, kFar + 1});
  const spec::ResolvedTensor tensor = dense_tensor(DType::i64, {2});
  EXPECT_TRUE(compare(tensor, std::vector<double>{3, 0x1p60}, got, {1, 0}).passed());
  EXPECT_FALSE(compare(tensor, std::vector<double>{3, 0x1p60}, got, {0, 0}).passed());
  EXPECT_FALSE(compare(tensor, std::vector<double>{3.5, 0x1p60}, got, {1, 0}).failures != 0);
  EXPECT_EQ(compare(tensor, std::vector<double>{3, kNaN}, got, {0, 0}).undefined, 1);
  EXPECT_FALSE(compare(tensor, std::vector<double>{3, kInfinity}, got, {0, 0}).passed());
  EXPECT_FALSE(compare(tensor, std::vector<double>{3, 1e300}, got, {0, 0}).passed());
}

TEST(Compare, LargeIntegersAreWrittenInFull) {
  EXPECT_EQ(describe("o", *one(2147483647, 1147483646, DType::i32).first).substr(0, 41),
            "o[0]: expected 2147483647, got 1147483646");
}

TEST(Compare, ToleranceFollowsTheMagnitude) {
  const spec::Tolerance tolerance{0.01, 0.01};
  const std::vector<double> big = {100, -100}, small = {1e-4, -1e-4};
  EXPECT_DOUBLE_EQ(tolerance_for(Distribution::large, tolerance, DType::f32, big).atol, 1.0);
  EXPECT_DOUBLE_EQ(tolerance_for(Distribution::large, tolerance, DType::f32, small).atol, 0.01);
  EXPECT_NEAR(tolerance_for(Distribution::tiny, tolerance, DType::f32, small).atol, 1e-6, 1e-12);
  EXPECT_DOUBLE_EQ(tolerance_for(Distribution::tiny, tolerance, DType::f32, big).atol, 0.01);
  EXPECT_DOUBLE_EQ(tolerance_for(Distribution::specified, tolerance, DType::f32, big).atol, 0.01);
  EXPECT_EQ(tolerance_for(Distribution::tiny, {0, 0}, DType::f32, small).atol, 0);
}

TEST(Compare, DescribesInOneLine) {
  EXPECT_EQ(describe("o", *one(10, 12, DType::f32).first),
            "o[0]: expected 10, got 12, error 2 where 1.01 is allowed (0.2 relative, 2.1e+06 ULP)");
  EXPECT_EQ(describe("o", *one(10, kNaN).first), "o[0]: expected 10, got nan");
  EXPECT_EQ(describe("o", *one(0, 1).first), "o[0]: expected 0, got 1, error 1 where 0.01 is allowed");
}

TEST(Compare, ChangedInputs) {
  const std::vector<uint8_t> before = {1, 2, 3, 4}, same = before, after = {1, 2, 9, 9};
  EXPECT_EQ(first_changed_byte(before, same), std::nullopt);
  EXPECT_EQ(first_changed_byte(before, after), 2);
  const spec::ResolvedTensor tensor = strided_tensor(DType::f16, {2, 2}, {3, 1});
  EXPECT_EQ(element_at(tensor, 7), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(element_at(tensor, 4), std::nullopt);
}

}  // namespace
}  // namespace assay::check
