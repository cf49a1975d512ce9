// SPDX-License-Identifier: MIT
#include "vgpu/semantics/convert.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

#include "sample_values.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kConvertSeed = 20265;
__extension__ using Int128 = __int128;

TEST(Convert, IntegersSaturate) {
  EXPECT_EQ((saturate_integer<int8_t>(int32_t{300})), 127);
  EXPECT_EQ((saturate_integer<int8_t>(int32_t{-300})), -128);
  EXPECT_EQ((saturate_integer<uint8_t>(int32_t{-1})), 0);
  EXPECT_EQ((saturate_integer<int16_t>(uint32_t{0xffffffff})), 32767);
  EXPECT_EQ((saturate_integer<uint32_t>(int64_t{1} << 40)), 0xffffffffu);
  EXPECT_EQ((saturate_integer<int64_t>(uint64_t{0} - 1)), std::numeric_limits<int64_t>::max());
  EXPECT_EQ((saturate_integer<uint64_t>(int32_t{-5})), 0u);
  EXPECT_EQ((saturate_integer<int32_t>(uint16_t{65535})), 65535);
}

template <Rounding R>
double integral(double x) {
  switch (R) {
    case Rounding::rm:
      return std::floor(x);
    case Rounding::rp:
      return std::ceil(x);
    case Rounding::rz:
      return std::trunc(x);
    default:
      return std::nearbyint(x);
  }
}

template <class To, Rounding R>
To expected_integer(double x, bool from_f64) {
  if (std::isnan(x)) {
    const uint64_t top = uint64_t{1} << (8 * sizeof(To) - 1);
    return from_f64 || sizeof(To) == 8 ? static_cast<To>(top) : To{0};
  }
  const double rounded = integral<R>(x);
  if (rounded >= std::ldexp(1.0, 8 * static_cast<int>(sizeof(To)) - (std::is_signed_v<To> ? 1 : 0)))
    return std::numeric_limits<To>::max();
  if (rounded < static_cast<double>(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
  return static_cast<To>(static_cast<Int128>(rounded));
}

template <class To, Rounding R>
void check_to_integer() {
  Random random(kConvertSeed);
  for (int i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
    double x = sample::random_double(random);
    if (i % 3 == 0) x = (random.uniform() - 0.5) * std::ldexp(1.0, static_cast<int>(random.below(70)));
    if (i % 3 == 1) x = std::ldexp(static_cast<double>(random.below(1u << 20)) - (1 << 19), -1);  // halves
    EXPECT_EQ((float_to_integer<To, R>(x)), (expected_integer<To, R>(x, true))) << std::hexfloat << x;
    const auto y = i % 4 == 0 ? sample::random_float(random) : static_cast<float>(x);
    EXPECT_EQ((float_to_integer<To, R>(y)), (expected_integer<To, R>(y, false))) << std::hexfloat << y;
    const f16 z{static_cast<uint16_t>(random.next())};
    EXPECT_EQ((float_to_integer<To, R>(z)), (expected_integer<To, R>(to_float(z), false))) << z.bits;
  }
}

template <class To>
void check_to_integer_all() {
  check_to_integer<To, Rounding::rn>();
  check_to_integer<To, Rounding::rz>();
  check_to_integer<To, Rounding::rm>();
  check_to_integer<To, Rounding::rp>();
}

TEST(Convert, FloatsToIntegers) {
  check_to_integer_all<int8_t>();
  check_to_integer_all<uint8_t>();
  check_to_integer_all<int16_t>();
  check_to_integer_all<uint16_t>();
  check_to_integer_all<int32_t>();
  check_to_integer_all<uint32_t>();
  check_to_integer_all<int64_t>();
  check_to_integer_all<uint64_t>();
}

template <class From, Rounding R>
void check_from_integer() {
  Random random(kConvertSeed + 1);
  for (int i = 0; i < 50000 && !testing::Test::HasFailure(); ++i) {
    uint64_t bits = random.next() >> random.below(63);
    if (i % 4 == 0) bits = (uint64_t{1} << random.below(64)) + random.below(3) - 1;
    if (i % 5 == 0) bits = uint64_t{0} - bits;
    const auto x = static_cast<From>(bits);
    volatile From value = x;
    float as_float = 0;
    double as_double = 0;
    {
      const sample::HostRounding mode(R);
      // Through long double, whose 64 digits hold every integer.
      volatile long double exact = value;
      volatile float f = static_cast<float>(exact);
      volatile double d = static_cast<double>(exact);
      as_float = f;
      as_double = d;
    }
    EXPECT_EQ(bits_of(integer_to_float<float, R>(x)), bits_of(as_float)) << bits << " seed " << kConvertSeed + 1;
    EXPECT_EQ(bits_of(integer_to_float<double, R>(x)), bits_of(as_double)) << bits << " seed " << kConvertSeed + 1;
  }
}

TEST(Convert, IntegersToFloats) {
  check_from_integer<int32_t, Rounding::rn>();
  check_from_integer<uint32_t, Rounding::rz>();
  check_from_integer<int32_t, Rounding::rm>();
  check_from_integer<int64_t, Rounding::rn>();
  check_from_integer<uint64_t, Rounding::rn>();
  check_from_integer<int64_t, Rounding::rz>();
  check_from_integer<uint64_t, Rounding::rm>();
  check_from_integer<int64_t, Rounding::rp>();
  check_from_integer<uint64_t, Rounding::rp>();
  check_from_integer<uint16_t, Rounding::rn>();
}

TEST(Convert, IntegersToHalvesRoundOnce) {
  EXPECT_EQ((integer_to_float<f16, Rounding::rn>(int32_t{2049})).bits, 0x6800);
  EXPECT_EQ((integer_to_float<f16, Rounding::rp>(int32_t{2049})).bits, 0x6801);
  EXPECT_EQ((integer_to_float<f16, Rounding::rn>(int32_t{70000})).bits, 0x7c00);
  EXPECT_EQ((integer_to_float<f16, Rounding::rz>(~uint64_t{0})).bits, 0x7bff);
  // 2^24 + 2^16 + 1 is above the middle of two bf16; rounding to float first would lose the one.
  EXPECT_EQ((integer_to_float<bf16, Rounding::rn>(int32_t{0x01010001})).bits, 0x4b81);
  EXPECT_EQ((integer_to_float<bf16, Rounding::rn>((int64_t{0x101} << 54) + 1)).bits, 0x5e81);
}

TEST(Convert, RoundsFloatsToIntegralValues) {
  Random random(kConvertSeed + 2);
  for (int i = 0; i < 50000; ++i) {
    float x = sample::random_float(random);
    if (i % 2 == 0) x = static_cast<float>(static_cast<int>(random.below(400)) - 200) * 0.5f;
    if (is_nan(x)) continue;
    EXPECT_EQ(bits_of(round_float<Rounding::rn>(x)), bits_of(std::nearbyint(x))) << x;
    EXPECT_EQ(bits_of(round_float<Rounding::rz>(x)), bits_of(std::trunc(x))) << x;
    EXPECT_EQ(bits_of(round_float<Rounding::rm>(x)), bits_of(std::floor(x))) << x;
    EXPECT_EQ(bits_of(round_float<Rounding::rp>(x)), bits_of(std::ceil(x))) << x;
  }
  EXPECT_EQ(round_float<Rounding::rm>(f16{0xb800}).bits, 0xbc00);
  EXPECT_EQ(round_float<Rounding::rz>(f16{0xb800}).bits, 0x8000);
  EXPECT_EQ(round_float<Rounding::rn>(0x1.8p51 + 0.5), 0x1.8p51);
}

TEST(Convert, WidensAndNarrows) {
  EXPECT_EQ(bits_of(widen<float>(f16{0xfe12})), kNanF32);
  EXPECT_EQ((widen<double>(bf16{0x3f80})), 1.0);
  EXPECT_EQ(bits_of(widen<float, true>(bf16{0x8001})), 0x80000000u);
  EXPECT_EQ((widen<double, true>(float_of(1u))), 0.0);
  EXPECT_EQ((narrow_to<float, Rounding::rz>(1e300)), std::numeric_limits<float>::max());
  EXPECT_EQ((narrow_to<float, Rounding::rn, true>(1e-40)), 0.0f);
  EXPECT_EQ((narrow_to<float, Rounding::rn, false, true>(7.5)), 1.0f);
  EXPECT_EQ((narrow_to<f16, Rounding::rn, false, false, true>(-2.0f)).bits, 0);
  EXPECT_EQ((pass_float<true, true>(float_of(kNanF32))), 0.0f);
}

}  // namespace
}  // namespace assay::vgpu::semantics
