// SPDX-License-Identifier: MIT
#include "vgpu/semantics/half_arithmetic.hpp"

#include <bit>
#include <cmath>
#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kHalfArithmeticSeed = 20263;

__extension__ using Int128 = __int128;

// An f16 is a whole number of 2^-24, so that a product and a sum fit in 128 bits as whole numbers of 2^-48.
Int128 in_units(f16 x) {
  return static_cast<Int128>(static_cast<int64_t>(std::ldexp(to_float(x), 24)));
}

// A whole number of 2^-48 rounded to f16, to nearest even.
uint16_t round_units(Int128 value, bool negative_zero) {
  const bool negative = value < 0 || (value == 0 && negative_zero);
  Int128 size = value < 0 ? -value : value;
  int unit = 24;  // subnormal results: multiples of 2^-24
  while (size >> unit >= 2048) ++unit;
  Int128 kept = size >> unit;
  const Int128 rest = size - (kept << unit), middle = Int128{1} << (unit - 1);
  if (rest > middle || (rest == middle && (kept & 1) != 0)) ++kept;
  const auto digits = static_cast<uint32_t>(kept);
  const uint32_t field = static_cast<uint32_t>(unit - 24) << 10;  // a normal number's leading bit adds one more
  const uint32_t bits = field + digits;
  return static_cast<uint16_t>((bits >= 0x7c00 ? 0x7c00 : bits) | (negative ? 0x8000 : 0));
}

f16 random_f16(Random& random) {
  for (;;) {
    const f16 x{static_cast<uint16_t>(random.next())};
    if ((x.bits & 0x7c00) != 0x7c00) return x;
  }
}

TEST(HalfArithmetic, F16RoundsOnce) {
  Random random(kHalfArithmeticSeed);
  for (int i = 0; i < 400000 && !HasFailure(); ++i) {
    const f16 a = random_f16(random), b = random_f16(random);
    // Every other addend is near the product, so that the last bits decide.
    f16 c = random_f16(random);
    if (i % 2 == 0)
      c = to_f16<Rounding::rn>(-to_float(a) * to_float(b) * (1.0f + 0x1p-9f * static_cast<float>(random.below(5))));
    if ((c.bits & 0x7c00) == 0x7c00) continue;
    const bool sa = (a.bits >> 15) != 0, sb = (b.bits >> 15) != 0, sc = (c.bits >> 15) != 0;
    const Int128 x = in_units(a), y = in_units(b), z = in_units(c), one = Int128{1} << 24;
    const auto message = [&] {
      return testing::Message() << std::hex << a.bits << " " << b.bits << " " << c.bits << " seed "
                                << kHalfArithmeticSeed;
    };
    EXPECT_EQ(half_add(a, b).bits, round_units((x + y) * one, sa && sb)) << message();
    EXPECT_EQ(half_sub(a, b).bits, round_units((x - y) * one, sa && !sb)) << message();
    EXPECT_EQ(half_mul(a, b).bits, round_units(x * y, sa != sb)) << message();
    EXPECT_EQ(half_fma(a, b, c).bits, round_units(x * y + z * one, (sa != sb) && sc)) << message();
  }
}

__extension__ using Quad = __float128;

bf16 moderate_bf16(Random& random, int low, int span) {
  const auto exponent = static_cast<uint32_t>(low) + static_cast<uint32_t>(random.below(static_cast<uint64_t>(span)));
  return bf16{static_cast<uint16_t>((random.next() & 0x807f) | exponent << 7)};
}

// Rounds a quad to bf16 through its two neighbours.
uint16_t round_quad(Quad x, bool negative_zero) {
  if (x == 0) return negative_zero ? 0x8000 : 0;
  const bool negative = x < 0;
  const Quad size = negative ? -x : x;
  uint32_t low = 0, high = 0x7f80;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (Quad{to_float(bf16{static_cast<uint16_t>(middle)})} <= size ? low : high) = middle;
  }
  const Quad below = to_float(bf16{static_cast<uint16_t>(low)});
  const Quad above = low + 1 == 0x7f80 ? Quad{0x1p128} : Quad{to_float(bf16{static_cast<uint16_t>(low + 1)})};
  const Quad middle = (below + above) / 2;
  const bool up = size > middle || (size == middle && (low & 1) != 0);
  return static_cast<uint16_t>((low + (up ? 1 : 0)) | (negative ? 0x8000 : 0));
}

TEST(HalfArithmetic, Bf16RoundsOnce) {
  Random random(kHalfArithmeticSeed + 1);
  for (int i = 0; i < 300000 && !HasFailure(); ++i) {
    // A third of the products are subnormal, a third overflow now and then. The terms stay within a quad's 113 bits.
    const int low_a = i % 3 == 0 ? 20 : i % 3 == 1 ? 180 : 110, low_b = i % 3 == 0 ? 30 : i % 3 == 1 ? 185 : 110;
    const bf16 a = moderate_bf16(random, low_a, 30), b = moderate_bf16(random, low_b, 30);
    const int product_exponent = std::clamp((a.bits >> 7 & 255) + (b.bits >> 7 & 255) - 127, 0, 250);
    const bf16 c = moderate_bf16(random, std::max(0, product_exponent - 10),
                                 std::min(20, 255 - std::max(0, product_exponent - 10)));
    if ((c.bits & 0x7f80) == 0x7f80) continue;
    const Quad x = to_float(a), y = to_float(b), z = to_float(c);
    EXPECT_EQ(half_mul(a, b).bits, round_quad(x * y, false)) << std::hex << a.bits << " " << b.bits;
    EXPECT_EQ(half_fma(a, b, c).bits, round_quad(x * y + z, false))
        << std::hex << a.bits << " " << b.bits << " " << c.bits << " seed " << kHalfArithmeticSeed + 1;
    EXPECT_EQ(half_add(a, c).bits, round_quad(x + z, false)) << std::hex << a.bits << " " << c.bits;
    EXPECT_EQ(half_sub(b, c).bits, round_quad(y - z, false)) << std::hex << b.bits << " " << c.bits;
  }
}

TEST(HalfArithmetic, SpecialValues) {
  const f16 infinity{0x7c00}, nan{0xfe01}, one{0x3c00};
  EXPECT_EQ(half_add(infinity, f16{0xfc00}).bits, 0x7fff);
  EXPECT_EQ(half_fma(infinity, f16{0}, one).bits, 0x7fff);
  EXPECT_EQ(half_fma(infinity, one, one).bits, 0x7c00);
  EXPECT_EQ(half_mul(nan, one).bits, 0x7fff);
  EXPECT_EQ((half_fma<f16, false, false, true>(f16{0xbc00}, one, f16{0})).bits, 0);
  EXPECT_EQ((half_fma<f16, false, true>(one, one, one)).bits, 0x3c00);
  EXPECT_EQ((half_fma<bf16, false, false, true>(bf16{0x7fc0}, bf16{0x3f80}, bf16{0})).bits, 0x7fff);
  EXPECT_EQ((half_add<f16, true>(f16{1}, f16{1})).bits, 0);
  EXPECT_EQ((half_mul<f16, true>(f16{0x0400}, f16{0x3800})).bits, 0);
}

TEST(HalfArithmetic, MinMaxAbsNeg) {
  const f16 nan{0x7e00};
  EXPECT_EQ(half_min(f16{0}, f16{0x8000}).bits, 0x8000);
  EXPECT_EQ(half_max(f16{0x8000}, f16{0}).bits, 0);
  EXPECT_EQ(half_min(nan, f16{0x3c00}).bits, 0x3c00);
  EXPECT_EQ((half_max<f16, false, true>(nan, f16{0x3c00})).bits, 0x7fff);
  EXPECT_EQ(half_max(nan, nan).bits, 0x7fff);
  EXPECT_EQ(half_min(bf16{0xc000}, bf16{0x3f80}).bits, 0xc000);
  EXPECT_EQ(half_abs(f16{0xbc00}).bits, 0x3c00);
  EXPECT_EQ((half_neg<f16, true>(f16{1})).bits, 0x8000);
  EXPECT_EQ(half_min_xorsign_abs(f16{0xc000}, f16{0x3c00}).bits, 0xbc00);
}

TEST(HalfArithmetic, PackedFormsWorkOnBothHalves) {
  const auto add = [](f16 x, f16 y) { return half_add(x, y); };
  EXPECT_EQ(packed<f16>(add, 0x3c004000u, 0x3c003c00u), 0x40004200u);
  const auto negate = [](bf16 x) { return half_neg(x); };
  EXPECT_EQ(packed<bf16>(negate, 0x3f80bf80u), 0xbf803f80u);
}

}  // namespace
}  // namespace assay::vgpu::semantics
