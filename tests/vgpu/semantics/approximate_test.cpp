// SPDX-License-Identifier: MIT
#include "vgpu/semantics/approximate.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "sample_values.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kApproximateSeed = 20268;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// The distance from the exact value in units of the result's last place.
double error_ulps(float got, long double exact) {
  const auto nearest = static_cast<float>(exact);
  if (bits_of(nearest) == bits_of(got)) return 0.5;
  const double unit = std::max(std::ldexp(1.0, std::ilogb(nearest) - 23), 0x1p-149);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact)) / unit;
}

float positive(Random& random) {
  return float_of(static_cast<uint32_t>(random.below(0x7f800000u)));
}

TEST(Approximate, FunctionsAreNearlyCorrectlyRounded) {
  Random random(kApproximateSeed);
  double ex2 = 0, lg2 = 0, rcp = 0, rsqrt = 0, sqrt = 0;
  for (int i = 0; i < 300000; ++i) {
    const auto x = static_cast<float>((random.uniform() - 0.5) * (i % 2 == 0 ? 300.0 : 4.0));
    if (x < 128.0f) ex2 = std::max(ex2, error_ulps(ex2_approx<false>(x), std::exp2(static_cast<long double>(x))));
    const float y = i % 2 == 0 ? positive(random) : static_cast<float>(0.5 + 1.5 * random.uniform());
    const auto wide = static_cast<long double>(y);
    if (y != 1.0f && y != 0.0f) lg2 = std::max(lg2, error_ulps(lg2_approx<false>(y), std::log2(wide)));
    if (y > 0x1p-127f) rcp = std::max(rcp, error_ulps(rcp_approx<false>(y), 1.0L / wide));
    if (y == 0.0f) continue;
    rsqrt = std::max(rsqrt, error_ulps(rsqrt_approx<false>(y), 1.0L / std::sqrt(wide)));
    sqrt = std::max(sqrt, error_ulps(sqrt_approx<false>(y), std::sqrt(wide)));
  }
  for (const double worst : {ex2, lg2, rcp, rsqrt, sqrt}) EXPECT_LT(worst, 0.501) << "seed " << kApproximateSeed;
}

TEST(Approximate, ExponentialsOfWholeNumbersAreExact) {
  for (int n = -149; n <= 127; ++n) EXPECT_EQ(ex2_approx<false>(static_cast<float>(n)), std::ldexp(1.0f, n)) << n;
  EXPECT_EQ(ex2_approx<true>(-127.0f), 0.0f);
  EXPECT_EQ(ex2_approx<true>(-126.0f), 0x1p-126f);
  for (int n = -149; n <= 127; ++n) EXPECT_EQ(lg2_approx<false>(std::ldexp(1.0f, n)), static_cast<float>(n)) << n;
}

TEST(Approximate, SpecialValues) {
  const float nan = float_of(0xffc00001u), tiny = float_of(0x80000100u);
  EXPECT_EQ(ex2_approx<false>(-kInfinity), 0.0f);
  EXPECT_EQ(ex2_approx<false>(kInfinity), kInfinity);
  EXPECT_EQ(ex2_approx<false>(1000.0f), kInfinity);
  EXPECT_EQ(ex2_approx<true>(tiny), 1.0f);
  EXPECT_EQ(bits_of(ex2_approx<true>(nan)), kNanF32);

  EXPECT_EQ(lg2_approx<false>(0.0f), -kInfinity);
  EXPECT_EQ(lg2_approx<false>(-0.0f), -kInfinity);
  EXPECT_EQ(lg2_approx<false>(kInfinity), kInfinity);
  EXPECT_EQ(lg2_approx<true>(float_of(1u)), -kInfinity);
  EXPECT_EQ(lg2_approx<false>(float_of(1u)), -149.0f);
  EXPECT_EQ(bits_of(lg2_approx<false>(-1.0f)), kNanF32);
  EXPECT_EQ(bits_of(lg2_approx<false>(nan)), kNanF32);

  EXPECT_EQ(rcp_approx<false>(-0.0f), -kInfinity);
  EXPECT_EQ(bits_of(rcp_approx<false>(-kInfinity)), 0x80000000u);
  EXPECT_EQ(rcp_approx<true>(tiny), -kInfinity);
  EXPECT_EQ(bits_of(rcp_approx<true>(-0x1p127f)), 0x80000000u);

  EXPECT_EQ(rsqrt_approx<false>(-0.0f), -kInfinity);
  EXPECT_EQ(rsqrt_approx<false>(0.0f), kInfinity);
  EXPECT_EQ(rsqrt_approx<false>(kInfinity), 0.0f);
  EXPECT_EQ(bits_of(rsqrt_approx<false>(-1.0f)), kNanF32);
  EXPECT_EQ(rsqrt_approx<true>(tiny), -kInfinity);

  EXPECT_EQ(bits_of(sqrt_approx<false>(-0.0f)), 0x80000000u);
  EXPECT_EQ(bits_of(sqrt_approx<false>(-1.0f)), kNanF32);
  EXPECT_EQ(bits_of(sqrt_approx<true>(tiny)), 0x80000000u);

  EXPECT_EQ(bits_of(sin_approx<true>(tiny)), 0x80000000u);
  EXPECT_EQ(cos_approx<false>(0.0f), 1.0f);
  EXPECT_EQ(bits_of(sin_approx<false>(kInfinity)), kNanF32);
  EXPECT_EQ(tanh_approx(kInfinity), 1.0f);
  EXPECT_EQ(bits_of(tanh_approx(nan)), kNanF32);
}

TEST(Approximate, Quotients) {
  EXPECT_EQ(div_approx<false>(6.0f, 3.0f), 2.0f);
  EXPECT_EQ(bits_of(div_approx<false>(-1.0f, 0x1p127f)), 0x80000000u);
  EXPECT_EQ(bits_of(div_approx<false>(kInfinity, 0x1p127f)), kNanF32);
  EXPECT_EQ(div_full<false>(0x1p127f, 0x1p127f), 1.0f);
  EXPECT_EQ(div_full<true>(0x1p-100f, 0x1p30f), 0.0f);
  EXPECT_EQ(bits_of(div_full<false>(0.0f, 0.0f)), kNanF32);
}

TEST(Approximate, HalfForms) {
  EXPECT_EQ((half_ex2_approx<f16, false>(f16{0x4000})).bits, 0x4400);
  EXPECT_EQ((half_ex2_approx<f16, false>(f16{0xfc00})).bits, 0);
  EXPECT_EQ((half_ex2_approx<f16, true>(f16{0xcc00})).bits, 0);  // 2^-16 is subnormal
  EXPECT_EQ((half_ex2_approx<bf16, true>(bf16{0x7fc0})).bits, 0x7fff);
  EXPECT_EQ(half_tanh_approx(f16{0x7c00}).bits, 0x3c00);
  EXPECT_EQ(half_tanh_approx(bf16{0xff80}).bits, 0xbf80);
}

TEST(Approximate, GrossDoublesLiveInTheUpperWord) {
  Random random(kApproximateSeed + 1);
  for (int i = 0; i < 10000; ++i) {
    const double x = std::ldexp(1.0 + random.uniform(), static_cast<int>(random.below(1000)) - 500);
    EXPECT_EQ(bits_of(rcp_approx_ftz(x)) & 0xffffffffu, 0u);
    EXPECT_LT(std::fabs(rcp_approx_ftz(x) * x - 1.0), 0x1p-19);
    EXPECT_LT(std::fabs(rsqrt_approx_ftz(x) * std::sqrt(x) - 1.0), 0x1p-19);
  }
  EXPECT_EQ(bits_of(rcp_approx_ftz(double_of(kNanF64))), kGrossNan);
  EXPECT_EQ(bits_of(rsqrt_approx_ftz(-1.0)), kGrossNan);
  EXPECT_EQ(rcp_approx_ftz(double_of(1u)), std::numeric_limits<double>::infinity());
  EXPECT_EQ(bits_of(rcp_approx_ftz(-0x1p1023)), 0x8000000000000000u);
}

}  // namespace
}  // namespace assay::vgpu::semantics
