// SPDX-License-Identifier: MIT
#include "vgpu/semantics/float8.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "sample_values.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kFloat8Seed = 20264;

template <class T>
double float8_value(uint8_t bits) {
  const int field = (bits & 0x7f) >> T::kMantissaBits, fraction = bits & ((1 << T::kMantissaBits) - 1);
  const double size = field == 0 ? std::ldexp(fraction, 1 - T::kBias - T::kMantissaBits)
                                 : std::ldexp(fraction + (1 << T::kMantissaBits), field - T::kBias - T::kMantissaBits);
  return (bits & 0x80) != 0 ? -size : size;
}

// Nearest even among the finite numbers, by looking at all of them.
template <class T>
uint8_t nearest(float x) {
  const double size = std::fabs(static_cast<double>(x));
  // Beyond the largest number distances would be lost in rounding.
  if (size >= float8_value<T>(T::kLargest)) return static_cast<uint8_t>(T::kLargest | (std::signbit(x) ? 0x80 : 0));
  uint8_t best = 0;
  for (int bits = 1; bits <= T::kLargest; ++bits) {
    const double old_distance = std::fabs(size - float8_value<T>(best));
    const double distance = std::fabs(size - float8_value<T>(static_cast<uint8_t>(bits)));
    if (distance < old_distance || (distance == old_distance && bits % 2 == 0)) best = static_cast<uint8_t>(bits);
  }
  return static_cast<uint8_t>(best | (std::signbit(x) ? 0x80 : 0));
}

template <class T>
void check_format() {
  for (int bits = 0; bits < 256; ++bits) {
    const T x{static_cast<uint8_t>(bits)};
    const bool finite = (bits & 0x7f) <= T::kLargest;
    if (finite) {
      EXPECT_EQ(static_cast<double>(to_float(x)), float8_value<T>(x.bits)) << bits;
      EXPECT_EQ(to_float8<T>(to_float(x)).bits, bits);
    }
  }
  Random random(kFloat8Seed);
  for (int i = 0; i < 50000; ++i) {
    float x = sample::random_float(random);
    if (i % 2 == 0) {  // at or beside the middle of two neighbours
      const auto low = static_cast<uint8_t>(random.below(T::kLargest));
      x = static_cast<float>((float8_value<T>(low) + float8_value<T>(static_cast<uint8_t>(low + 1))) / 2);
      x = std::bit_cast<float>(std::bit_cast<uint32_t>(x) + static_cast<uint32_t>(random.below(3)) - 1u);
    }
    if (is_nan(x)) {
      EXPECT_EQ(to_float8<T>(x).bits, T::kNan);
    } else {
      EXPECT_EQ(to_float8<T>(x).bits, nearest<T>(x)) << std::hexfloat << x << " seed " << kFloat8Seed;
    }
  }
}

TEST(Float8, E4m3) {
  check_format<e4m3>();
}
TEST(Float8, E5m2) {
  check_format<e5m2>();
}

TEST(Float8, SaturatesAndKeepsNan) {
  EXPECT_EQ(to_float8<e4m3>(std::numeric_limits<float>::infinity()).bits, 0x7e);
  EXPECT_EQ(to_float8<e5m2>(-std::numeric_limits<float>::infinity()).bits, 0xfb);
  EXPECT_EQ(to_float8<e4m3>(1e9f).bits, 0x7e);
  EXPECT_TRUE(is_nan(to_float(e4m3{0xff})));
  EXPECT_TRUE(is_infinite(to_float(e5m2{0xfc})));
  EXPECT_TRUE(is_nan(to_float(e5m2{0x7d})));
}

TEST(Float8, FirstOperandGoesToTheUpperByte) {
  EXPECT_EQ((to_float8x2<e4m3>(1.0f, -2.0f)), 0x38c0);
  EXPECT_EQ((to_float8x2<e4m3, true>(1.0f, -2.0f)), 0x3800);
  EXPECT_EQ((to_float8x2<e5m2>(0x3c00c000u)), 0x3cc0);
  EXPECT_EQ((float8x2_to_f16x2<e4m3>(0x38c0)), 0x3c00c000u);
  EXPECT_EQ((float8x2_to_f16x2<e5m2>(0x3cc0)), 0x3c00c000u);
  EXPECT_EQ((float8x2_to_f16x2<e4m3>(0x7f01)), 0x7fff1800u);
}

TEST(Tf32, RoundsToTenBits) {
  EXPECT_EQ(to_tf32<Rounding::rna>(float_of(0x3f801000u)), 0x3f802000u);
  EXPECT_EQ(to_tf32<Rounding::rn>(float_of(0x3f801000u)), 0x3f800000u);
  EXPECT_EQ(to_tf32<Rounding::rn>(float_of(0x3f803000u)), 0x3f804000u);
  EXPECT_EQ(to_tf32<Rounding::rz>(float_of(0x3f803fffu)), 0x3f802000u);
  EXPECT_EQ(to_tf32<Rounding::rna>(float_of(0xff800000u)), 0xff800000u);
  EXPECT_EQ(to_tf32<Rounding::rna>(float_of(0x7f7fffffu)), 0x7f800000u);
  EXPECT_EQ((to_tf32<Rounding::rn, true>(-1.0f)), 0u);
}

}  // namespace
}  // namespace assay::vgpu::semantics
