// SPDX-License-Identifier: MIT
#include "vgpu/semantics/integer.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kIntegerSeed = 20266;
constexpr int32_t kMin = std::numeric_limits<int32_t>::min(), kMax = std::numeric_limits<int32_t>::max();

TEST(Integer, SumsWrapOrSaturate) {
  EXPECT_EQ(wrapping_add(kMax, 1), kMin);
  EXPECT_EQ(wrapping_sub(kMin, 1), kMax);
  EXPECT_EQ(wrapping_add(int16_t{32767}, int16_t{1}), int16_t{-32768});
  EXPECT_EQ(add_sat(kMax, 1), kMax);
  EXPECT_EQ(sub_sat(kMin, 1), kMin);
  EXPECT_EQ(add_sat(-5, 3), -2);
}

TEST(Integer, ProductsByHalves) {
  EXPECT_EQ(mul_lo(uint16_t{65535}, uint16_t{65535}), uint16_t{1});
  EXPECT_EQ(mul_hi(uint16_t{65535}, uint16_t{65535}), uint16_t{65534});
  EXPECT_EQ(mul_wide(int16_t{-32768}, int16_t{-32768}), 1 << 30);
  EXPECT_EQ(mul_hi(kMin, kMin), 1 << 30);
  EXPECT_EQ(mul_lo(kMin, -1), kMin);
  EXPECT_EQ(mul_hi(~uint64_t{0}, ~uint64_t{0}), ~uint64_t{0} - 1);
  EXPECT_EQ(mul_hi(int64_t{-1}, int64_t{1}), -1);
  EXPECT_EQ(mul_wide(~uint32_t{0}, ~uint32_t{0}), 0xfffffffe00000001u);
  EXPECT_EQ(mad_wide(int32_t{-3}, int32_t{5}, int64_t{15}), 0);
  EXPECT_EQ(mad_lo(3u, 5u, 1u), 16u);
  EXPECT_EQ(mad_hi_sat(kMax, kMax, kMax), kMax);
  EXPECT_EQ(mad_hi_sat(kMin, kMax, kMin), kMin);
  EXPECT_EQ(mul24_lo(uint32_t{0xff000003}, uint32_t{5}), 15u);
  EXPECT_EQ(mul24_lo(int32_t{0x00ffffff}, int32_t{2}), -2);  // bit 23 is the sign
  EXPECT_EQ(mul24_hi(uint32_t{0xffffff}, uint32_t{0xffffff}), 0xfffffe00u);
  EXPECT_EQ(mad24_hi_sat(0x7fffff, 0x7fffff, kMax), kMax);
}

TEST(Integer, DivisionNeverTraps) {
  EXPECT_EQ(div(7u, 0u), 0xffffffffu);
  EXPECT_EQ(rem(7u, 0u), 0xffffffffu);
  EXPECT_EQ(rem(int64_t{7}, int64_t{0}), -1);
  EXPECT_EQ(div(-7, 0), -1);
  EXPECT_EQ(div(kMin, -1), kMin);
  EXPECT_EQ(rem(kMin, -1), 0);
  EXPECT_EQ(div(int64_t{-7}, int64_t{2}), -3);
  EXPECT_EQ(rem(int64_t{-7}, int64_t{2}), -1);
  EXPECT_EQ(rem(int16_t{-32768}, int16_t{-1}), 0);
}

TEST(Integer, DistancesSignsAndExtremes) {
  EXPECT_EQ(sad(kMin, kMax, 1), 0);  // 2^32 - 1 + 1 wraps
  EXPECT_EQ(sad(3u, 10u, 100u), 107u);
  EXPECT_EQ(abs_integer(kMin), kMin);
  EXPECT_EQ(abs_integer(int16_t{-5}), 5);
  EXPECT_EQ(neg_integer(kMin), kMin);
  EXPECT_EQ((min_integer<true>(-5, 3)), 0);
  EXPECT_EQ((max_integer<true>(-5, -3)), 0);
  EXPECT_EQ(max_integer(0xffffffffu, 1u), 0xffffffffu);
  const auto larger = [](int16_t x, int16_t y) { return max_integer(x, y); };
  EXPECT_EQ(packed16<int16_t>(larger, 0xffff0001u, 0x00008000u), 0x00000001u);
}

TEST(Integer, DotProductsOfBytes) {
  EXPECT_EQ((dp4a<int32_t, int32_t>(0xff01ff01u, 0x02020202u, 10)), 10u);
  EXPECT_EQ((dp4a<uint32_t, uint32_t>(0xffffffffu, 0xffffffffu, 0)), 4u * 255u * 255u);
  EXPECT_EQ((dp4a<int32_t, uint32_t>(0xffffffffu, 0xffffffffu, 0)), static_cast<uint32_t>(-4 * 255));
  EXPECT_EQ((dp2a<int32_t, int32_t, false>(0x00020003u, 0x05060708u, 0)), 2u * 7u + 3u * 8u);
  EXPECT_EQ((dp2a<int32_t, int32_t, true>(0x00020003u, 0x05060708u, 0)), 2u * 5u + 3u * 6u);
  EXPECT_EQ((dp2a<int32_t, uint32_t, true>(0xffff0000u, 0xff000000u, 0)), static_cast<uint32_t>(-255));
}

// A chain of 32-bit steps must agree with 128-bit arithmetic.
TEST(Integer, CarryChainsMakeWiderArithmetic) {
  Random random(kIntegerSeed);
  for (int i = 0; i < 20000; ++i) {
    const uint64_t a = random.next() >> random.below(40), b = i % 3 == 0 ? ~a : random.next() >> random.below(40);
    const auto a0 = static_cast<uint32_t>(a), a1 = static_cast<uint32_t>(a >> 32);
    const auto b0 = static_cast<uint32_t>(b), b1 = static_cast<uint32_t>(b >> 32);
    const bool carry = random.below(2) != 0;

    const auto sum0 = add_carry(a0, b0, carry), sum1 = add_carry(a1, b1, sum0.carry);
    const auto wide_sum = static_cast<UnsignedWide>(a) + b + (carry ? 1 : 0);
    EXPECT_EQ(uint64_t{sum1.value} << 32 | sum0.value, static_cast<uint64_t>(wide_sum)) << "seed " << kIntegerSeed;
    EXPECT_EQ(sum1.carry, (wide_sum >> 64) != 0);

    const auto low = sub_borrow(a0, b0, carry), high = sub_borrow(a1, b1, low.carry);
    const auto wide_difference = static_cast<UnsignedWide>(a) - b - (carry ? 1 : 0);
    EXPECT_EQ(uint64_t{high.value} << 32 | low.value, static_cast<uint64_t>(wide_difference));
    EXPECT_EQ(high.carry, (wide_difference >> 64) != 0);

    const auto mad0 = mad_lo_carry<uint32_t>(a0, a1, b0, false), mad1 = mad_hi_carry<uint32_t>(a0, a1, b1, mad0.carry);
    const auto wide_mad = static_cast<UnsignedWide>(uint64_t{a0} * a1) + b;
    EXPECT_EQ(uint64_t{mad1.value} << 32 | mad0.value, static_cast<uint64_t>(wide_mad));
    EXPECT_EQ(mad1.carry, (wide_mad >> 64) != 0);
  }
  EXPECT_EQ(mad_hi_carry<int32_t>(uint32_t{0xffffffff}, 2u, 0u, false).value, 0xffffffffu);
}

}  // namespace
}  // namespace assay::vgpu::semantics
