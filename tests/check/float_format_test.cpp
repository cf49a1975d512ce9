// SPDX-License-Identifier: MIT
#include "check/float_format.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "base/random.hpp"

namespace assay::check {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(FloatFormat, KnownBits) {
  EXPECT_EQ(to_bits(1.0, kF16), 0x3c00u);
  EXPECT_EQ(to_bits(-2.0, kF16), 0xc000u);
  EXPECT_EQ(to_bits(-0.0, kF16), 0x8000u);
  EXPECT_EQ(to_bits(0x1.0p-24, kF16), 0x0001u);
  EXPECT_EQ(to_bits(0x1.0p-14, kF16), 0x0400u);
  EXPECT_EQ(to_bits(65504, kF16), 0x7bffu);
  EXPECT_EQ(to_bits(kInfinite, kF16), 0x7c00u);
  EXPECT_EQ(to_bits(1.0, kBf16), 0x3f80u);
  EXPECT_EQ(to_bits(3.140625, kBf16), 0x4049u);
  EXPECT_EQ(to_bits(1.0, kE4m3), 0x38u);
  EXPECT_EQ(to_bits(448, kE4m3), 0x7eu);
  EXPECT_EQ(to_bits(1.0, kE5m2), 0x3cu);
  EXPECT_EQ(to_bits(57344, kE5m2), 0x7bu);
}

TEST(FloatFormat, RoundsToNearestEven) {
  EXPECT_EQ(to_bits(1 + 0x1.0p-11, kF16), 0x3c00u);              // a tie goes to the even neighbour below
  EXPECT_EQ(to_bits(1 + 3 * 0x1.0p-11, kF16), 0x3c02u);          // and to the even one above
  EXPECT_EQ(to_bits(1 + 0x1.0p-11 + 0x1.0p-40, kF16), 0x3c01u);  // just above the tie: one rounding, not two
  EXPECT_EQ(to_bits(65519.99, kF16), 0x7bffu);
  EXPECT_EQ(to_bits(65520, kF16), 0x7c00u);
  EXPECT_EQ(to_bits(0x1.0p-25, kF16), 0x0000u);
  EXPECT_EQ(to_bits(0x1.8p-25, kF16), 0x0001u);
  EXPECT_EQ(to_bits(0x1.ffcp-15 + 0x1.0p-25, kF16), 0x0400u);  // the largest subnormal rounds up into the normals
}

TEST(FloatFormat, WithoutInfinityItSaturates) {
  EXPECT_EQ(to_bits(1e9, kE4m3), 0x7eu);
  EXPECT_EQ(to_bits(-kInfinite, kE4m3), 0xfeu);
  EXPECT_TRUE(std::isnan(from_bits(0x7f, kE4m3)));
  EXPECT_EQ(to_bits(std::nan(""), kE4m3) & 0x7fu, 0x7fu);
}

void expect_round_trip(const FloatFormat& format) {
  const uint32_t count = 1u << (1 + format.exponent_bits + format.mantissa_bits);
  for (uint32_t bits = 0; bits < count; ++bits) {
    const double value = from_bits(bits, format);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(from_bits(to_bits(value, format), format)));
    } else {
      ASSERT_EQ(to_bits(value, format), bits) << value;
    }
  }
}

TEST(FloatFormat, EveryValueSurvives) {
  expect_round_trip(kF16);
  expect_round_trip(kBf16);
  expect_round_trip(kE4m3);
  expect_round_trip(kE5m2);
}

TEST(FloatFormat, AgreesWithTheMachineOnFloats) {
  constexpr uint64_t kSeed = 11;
  Random random(kSeed);
  for (int i = 0; i < 100'000; ++i) {
    const uint64_t bits = random.next();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (i % 2 == 0) value = std::ldexp(random.normal(), static_cast<int>(random.below(300)) - 150);
    if (std::isnan(value)) continue;
    const auto expected = static_cast<float>(value);
    uint32_t expected_bits;
    std::memcpy(&expected_bits, &expected, sizeof expected_bits);
    ASSERT_EQ(to_bits(value, kF32), expected_bits) << "seed " << kSeed << ", value " << value;
    ASSERT_EQ(from_bits(expected_bits, kF32), static_cast<double>(expected)) << "seed " << kSeed;
  }
}

TEST(FloatFormat, Limits) {
  EXPECT_EQ(kF16.largest(), 65504);
  EXPECT_EQ(kE4m3.largest(), 448);
  EXPECT_EQ(kE5m2.largest(), 57344);
  EXPECT_EQ(kF32.largest(), static_cast<double>(std::numeric_limits<float>::max()));
  EXPECT_EQ(kF64.largest(), std::numeric_limits<double>::max());
  EXPECT_EQ(kF64.smallest_subnormal(), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(kF16.smallest_normal(), 0x1.0p-14);
  EXPECT_EQ(kF16.smallest_subnormal(), 0x1.0p-24);
}

TEST(FloatFormat, Spacing) {
  EXPECT_EQ(spacing(1.0, kF16), 0x1.0p-10);
  EXPECT_EQ(spacing(-3.0, kF16), 0x1.0p-9);
  EXPECT_EQ(spacing(0.0, kF16), 0x1.0p-24);
  EXPECT_EQ(spacing(kInfinite, kF16), 0x1.0p-24);
  EXPECT_EQ(spacing(1e300, kF16), 32.0);
  EXPECT_EQ(spacing(1.0, kF64), 0x1.0p-52);
  EXPECT_EQ(spacing(0x1.0p-1000, kF64), 0x1.0p-1052);
  EXPECT_EQ(spacing(0x1.0p-1074, kF64), 0x1.0p-1074);
  EXPECT_EQ(spacing(0x1.8p-126, kF32), 0x1.0p-149);
}

}  // namespace
}  // namespace assay::check
