// SPDX-License-Identifier: MIT
#include "spec/scalar_encoding.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::spec {
namespace {

std::optional<uint64_t> bits(const Value& value, DType type) {
  const auto bytes = encode(value, type);
  if (!bytes) return std::nullopt;
  uint64_t result = 0;
  for (size_t i = bytes->size(); i-- > 0;) result = result << 8 | (*bytes)[i];
  return result;
}

TEST(ScalarEncoding, KnownValues) {
  EXPECT_EQ(bits(1.0, DType::f16), 0x3c00u);
  EXPECT_EQ(bits(-2.0, DType::f16), 0xc000u);
  EXPECT_EQ(bits(65504.0, DType::f16), 0x7bffu);
  EXPECT_EQ(bits(65519.0, DType::f16), 0x7bffu);
  EXPECT_EQ(bits(65520.0, DType::f16), std::nullopt);
  EXPECT_EQ(bits(0x1p-24, DType::f16), 0x0001u);
  EXPECT_EQ(bits(0x1p-25, DType::f16), 0x0000u);  // a tie, to even
  EXPECT_EQ(bits(0x1.8p-24, DType::f16), 0x0002u);
  EXPECT_EQ(bits(0x1.ffcp-15, DType::f16), 0x0400u);  // rounds up into the normal numbers
  EXPECT_EQ(bits(-0.0, DType::f16), 0x8000u);
  EXPECT_EQ(bits(1.0, DType::bf16), 0x3f80u);
  EXPECT_EQ(bits(0x1.01p0, DType::bf16), 0x3f80u);
  EXPECT_EQ(bits(0x1.03p0, DType::bf16), 0x3f82u);
  EXPECT_EQ(bits(448.0, DType::e4m3), 0x7eu);
  EXPECT_EQ(bits(1.0, DType::e5m2), 0x3cu);
  EXPECT_EQ(bits(1.0, DType::f32), 0x3f800000u);
  EXPECT_EQ(bits(1e39, DType::f32), std::nullopt);
  EXPECT_EQ(bits(1.0, DType::f64), 0x3ff0000000000000u);
  EXPECT_EQ(bits(-1, DType::i8), 0xffu);
  EXPECT_EQ(bits(-129, DType::i8), std::nullopt);
  EXPECT_EQ(bits(255, DType::u8), 0xffu);
  EXPECT_EQ(bits(256, DType::u8), std::nullopt);
  EXPECT_EQ(bits(-1, DType::u64), std::nullopt);
  EXPECT_EQ(bits(INT64_MIN, DType::i64), 0x8000000000000000u);
  EXPECT_EQ(bits(INT64_MAX, DType::u64), 0x7fffffffffffffffu);
}

double decode_half(uint64_t half) {
  const auto mantissa = static_cast<double>(half & 0x3ff);
  const int exponent = static_cast<int>(half >> 10 & 0x1f);
  const double magnitude = exponent == 0 ? mantissa * 0x1p-24 : std::ldexp(1 + mantissa / 1024, exponent - 15);
  return (half & 0x8000) != 0 ? -magnitude : magnitude;
}

TEST(ScalarEncoding, EveryFiniteHalfSurvives) {
  for (uint64_t half = 0; half < 0x10000; ++half) {
    if ((half & 0x7c00) == 0x7c00) continue;
    ASSERT_EQ(bits(decode_half(half), DType::f16), half);
  }
}

TEST(ScalarEncoding, HalvesAreTheNearest) {
  constexpr uint64_t kHalvesSeed = 7;
  Random random(kHalvesSeed);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(random.uniform(), static_cast<int>(random.below(40)) - 26);
    const auto encoded = bits(x, DType::f16);
    if (!encoded) continue;
    const double error = std::fabs(decode_half(*encoded) - x);
    const double below = *encoded > 0 ? decode_half(*encoded - 1) : -1;
    const double above = *encoded < 0x7bff ? decode_half(*encoded + 1) : 65536;
    ASSERT_LE(error, std::fabs(below - x)) << "seed " << kHalvesSeed << " x " << x;
    ASSERT_LE(error, std::fabs(above - x)) << "seed " << kHalvesSeed << " x " << x;
  }
}

}  // namespace
}  // namespace assay::spec
