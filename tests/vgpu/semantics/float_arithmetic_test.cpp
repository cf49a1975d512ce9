// SPDX-License-Identifier: MIT
#include "vgpu/semantics/float_arithmetic.hpp"

#include <gtest/gtest.h>

#include "sample_values.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kFloatArithmeticSeed = 20261;
constexpr int kRounds = 200000;

// The host, in the given direction; volatile keeps the compiler from moving or folding the operation.
template <class Float>
Float host(Rounding rounding, char operation, Float a, Float b, Float c) {
  volatile Float x = a, y = b, z = c;
  volatile Float result{};
  const sample::HostRounding mode(rounding);
  switch (operation) {
    case '+':
      result = x + y;
      break;
    case '-':
      result = x - y;
      break;
    case '*':
      result = x * y;
      break;
    case '/':
      result = x / y;
      break;
    case 'f':
      result = std::fma(x, y, z);
      break;
    default:
      result = std::sqrt(x);
      break;
  }
  return result;
}

template <class Float>
void expect_same(Float expected, Float got, const char* what, Float a, Float b, Float c) {
  if (is_nan(expected)) {
    EXPECT_TRUE(is_nan(got)) << what << " seed " << kFloatArithmeticSeed;
    if constexpr (std::is_same_v<Float, float>) {
      EXPECT_EQ(bits_of(got), kNanF32) << what;
    }
    return;
  }
  EXPECT_EQ(bits_of(expected), bits_of(got)) << std::hexfloat << what << "(" << a << ", " << b << ", " << c << ") is "
                                             << expected << ", got " << got << "; seed " << kFloatArithmeticSeed;
}

template <Rounding R>
void check_direction() {
  Random random(kFloatArithmeticSeed + static_cast<uint64_t>(R));
  for (int i = 0; i < kRounds && !testing::Test::HasFailure(); ++i) {
    const float a = sample::random_float(random), b = sample::random_float(random);
    // Every other addend nearly cancels the product.
    const float c = i % 2 == 0 ? sample::random_float(random) : next_up(-(a * b));
    expect_same(host(R, '+', a, b, c), add<R, false, false>(a, b), "add", a, b, c);
    expect_same(host(R, '-', a, b, c), sub<R, false, false>(a, b), "sub", a, b, c);
    expect_same(host(R, '*', a, b, c), mul<R, false, false>(a, b), "mul", a, b, c);
    expect_same(host(R, '/', a, b, c), div<R, false>(a, b), "div", a, b, c);
    expect_same(host(R, 'f', a, b, c), fma<R, false, false>(a, b, c), "fma", a, b, c);
    expect_same(host(R, 's', a, b, c), sqrt<R, false>(a), "sqrt", a, b, c);
    expect_same(host(R, '/', 1.0f, a, c), rcp<R, false>(a), "rcp", a, b, c);
  }
  for (int i = 0; i < kRounds && !testing::Test::HasFailure(); ++i) {
    const double a = sample::random_double(random), b = sample::random_double(random);
    const double c = i % 2 == 0 ? sample::random_double(random) : next_up(-(a * b));
    expect_same(host(R, '+', a, b, c), add<R>(a, b), "add.f64", a, b, c);
    expect_same(host(R, '-', a, b, c), sub<R>(a, b), "sub.f64", a, b, c);
    expect_same(host(R, '*', a, b, c), mul<R>(a, b), "mul.f64", a, b, c);
    expect_same(host(R, '/', a, b, c), div<R>(a, b), "div.f64", a, b, c);
    expect_same(host(R, 'f', a, b, c), fma<R>(a, b, c), "fma.f64", a, b, c);
    expect_same(host(R, 's', a, b, c), sqrt<R>(a), "sqrt.f64", a, b, c);
  }
}

TEST(FloatArithmetic, NearestAgreesWithTheHost) {
  check_direction<Rounding::rn>();
}
TEST(FloatArithmetic, TowardZeroAgreesWithTheHost) {
  check_direction<Rounding::rz>();
}
TEST(FloatArithmetic, DownAgreesWithTheHost) {
  check_direction<Rounding::rm>();
}
TEST(FloatArithmetic, UpAgreesWithTheHost) {
  check_direction<Rounding::rp>();
}

TEST(FloatArithmetic, FlushesSubnormalsOfBothEnds) {
  const float tiny = float_of(0x00000123u), small = float_of(0x00800000u);
  EXPECT_EQ(bits_of(add<Rounding::rn, true, false>(tiny, -tiny)), 0u);
  EXPECT_EQ(bits_of(mul<Rounding::rn, true, false>(tiny, 0x1p100f)), 0u);
  EXPECT_EQ(bits_of(mul<Rounding::rn, true, false>(small, -0.5f)), 0x80000000u);
  EXPECT_EQ(bits_of(fma<Rounding::rn, true, false>(small, 0.5f, -0.0f)), 0u);
  EXPECT_EQ(bits_of(mul<Rounding::rn, false, false>(small, 0.5f)), 0x00400000u);
  EXPECT_EQ(bits_of(abs<true>(-tiny)), 0u);
  EXPECT_EQ(bits_of(neg<true>(tiny)), 0x80000000u);
}

TEST(FloatArithmetic, SaturatesToUnitInterval) {
  const float nan = float_of(0x7fc00000u);
  EXPECT_EQ((add<Rounding::rn, false, true>(0.75f, 0.75f)), 1.0f);
  EXPECT_EQ(bits_of(add<Rounding::rn, false, true>(-1.0f, 0.5f)), 0u);
  EXPECT_EQ(bits_of(mul<Rounding::rn, false, true>(nan, 1.0f)), 0u);
  EXPECT_EQ(bits_of(mul<Rounding::rn, false, true>(-0.0f, 1.0f)), 0u);
  EXPECT_EQ((fma<Rounding::rn, false, true>(0.5f, 0.5f, 0.25f)), 0.5f);
}

TEST(FloatArithmetic, MinAndMaxPreferNumbersAndOrderZeros) {
  const float nan = float_of(0xffc12345u);
  EXPECT_EQ(bits_of(min(0.0f, -0.0f)), 0x80000000u);
  EXPECT_EQ(bits_of(min(-0.0f, 0.0f)), 0x80000000u);
  EXPECT_EQ(bits_of(max(-0.0f, 0.0f)), 0u);
  EXPECT_EQ(min(nan, 2.0f), 2.0f);
  EXPECT_EQ(max(2.0f, nan), 2.0f);
  EXPECT_EQ(bits_of(min(nan, nan)), kNanF32);
  EXPECT_EQ(bits_of((min<false, true>(nan, 2.0f))), kNanF32);
  EXPECT_EQ(bits_of(max<true>(float_of(1u), -1.0f)), 0u);
  EXPECT_EQ(min(-3.0, 2.0), -3.0);
  EXPECT_EQ(max(-3.0, double_of(kNanF64)), -3.0);
  EXPECT_EQ(min_xorsign_abs(-3.0f, 2.0f), -2.0f);
  EXPECT_EQ(max_xorsign_abs(-3.0f, -2.0f), 3.0f);
  EXPECT_EQ(copysign(-1.0f, 5.0f), -5.0f);
  EXPECT_EQ(copysign(1.0, -5.0), 5.0);
}

}  // namespace
}  // namespace assay::vgpu::semantics
