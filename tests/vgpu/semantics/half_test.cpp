// SPDX-License-Identifier: MIT
#include "vgpu/semantics/half.hpp"

#include <cmath>
#include <gtest/gtest.h>

#include "sample_values.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kHalfSeed = 20262;

// The value that 16 bits stand for, by the definition of the format.
template <class T>
double half_value(uint16_t bits) {
  constexpr int kMantissa = std::is_same_v<T, f16> ? 10 : 7;
  constexpr int kBias = std::is_same_v<T, f16> ? 15 : 127;
  const int field = (bits & 0x7fff) >> kMantissa;
  const int fraction = bits & ((1 << kMantissa) - 1);
  const double size = field == 0 ? std::ldexp(fraction, 1 - kBias - kMantissa)
                                 : std::ldexp(fraction + (1 << kMantissa), field - kBias - kMantissa);
  return (bits & 0x8000) != 0 ? -size : size;
}

template <class T>
void check_widening() {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const T x{static_cast<uint16_t>(bits)};
    const float wide = to_float(x);
    const uint32_t size = bits & 0x7fff;
    if (size > T::kInfinity) {
      EXPECT_TRUE(is_nan(wide)) << std::hex << bits;
      EXPECT_EQ((to_half<T, Rounding::rn>(wide).bits), T::kNan);
      continue;
    }
    if (size == T::kInfinity) {
      EXPECT_TRUE(is_infinite(wide)) << std::hex << bits;
    } else {
      EXPECT_EQ(static_cast<double>(wide), half_value<T>(x.bits)) << std::hex << bits;
    }
    EXPECT_EQ((to_half<T, Rounding::rn>(wide).bits), bits);
    EXPECT_EQ((to_half<T, Rounding::rz>(wide).bits), bits);
    EXPECT_EQ((to_half<T, Rounding::rm>(static_cast<double>(wide)).bits), bits);
    EXPECT_EQ((to_half<T, Rounding::rp>(static_cast<double>(wide)).bits), bits);
  }
}

TEST(Half, EveryF16WidensExactlyAndComesBack) {
  check_widening<f16>();
}
TEST(Half, EveryBf16WidensExactlyAndComesBack) {
  check_widening<bf16>();
}

// Rounding by definition: the neighbours below and above a finite x, found by bisection over the ordered bits.
template <class T>
uint16_t round_by_definition(double x, Rounding rounding) {
  const bool negative = std::signbit(x);
  const double size = std::fabs(x);
  uint32_t low = 0,
           high = T::kInfinity;  // value(low) <= size < value(high), infinity counting as the next power of two
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (half_value<T>(static_cast<uint16_t>(middle)) <= size ? low : high) = middle;
  }
  const double below = half_value<T>(static_cast<uint16_t>(low));
  const double above = half_value<T>(static_cast<uint16_t>(low + 1));
  bool up = false;
  if (size != below) {
    switch (rounding) {
      case Rounding::rn: {
        const double middle = (below + above) / 2;
        up = size > middle || (size == middle && (low & 1) != 0);
        break;
      }
      case Rounding::rm:
        up = negative;
        break;
      case Rounding::rp:
        up = !negative;
        break;
      default:
        break;
    }
  }
  return static_cast<uint16_t>((low + (up ? 1u : 0u)) | (negative ? 0x8000u : 0u));
}

// Numbers at, just above and just below every kind of boundary of T.
template <class T>
double near_boundary(Random& random) {
  const auto low = static_cast<uint16_t>(random.below(T::kInfinity));
  const double a = half_value<T>(low), b = half_value<T>(static_cast<uint16_t>(low + 1));
  double x = random.below(2) == 0 ? (a + b) / 2 : a + (b - a) * random.uniform();
  const uint64_t nudge = random.below(4);
  if (nudge == 0) x = std::nextafter(x, 1e300);
  if (nudge == 1) x = std::nextafter(x, -1e300);
  if (nudge == 2) x = static_cast<double>(static_cast<float>(x));
  return random.below(2) == 0 ? -x : x;
}

template <class T, Rounding R>
void check_narrowing() {
  Random random(kHalfSeed);
  for (int i = 0; i < 100000 && !testing::Test::HasFailure(); ++i) {
    double x = i % 3 == 0 ? sample::random_double(random) : near_boundary<T>(random);
    if (!std::isfinite(x)) continue;
    EXPECT_EQ((to_half<T, R>(x).bits), round_by_definition<T>(x, R)) << std::hexfloat << x << " seed " << kHalfSeed;
    const float y = i % 2 == 0 ? static_cast<float>(x) : sample::random_float(random);
    if (!std::isfinite(y)) continue;
    EXPECT_EQ((to_half<T, R>(y).bits), round_by_definition<T>(y, R)) << std::hexfloat << y << " seed " << kHalfSeed;
  }
}

TEST(Half, NarrowsToF16InEveryDirection) {
  check_narrowing<f16, Rounding::rn>();
  check_narrowing<f16, Rounding::rz>();
  check_narrowing<f16, Rounding::rm>();
  check_narrowing<f16, Rounding::rp>();
}
TEST(Half, NarrowsToBf16InEveryDirection) {
  check_narrowing<bf16, Rounding::rn>();
  check_narrowing<bf16, Rounding::rz>();
  check_narrowing<bf16, Rounding::rm>();
  check_narrowing<bf16, Rounding::rp>();
}

TEST(Half, InfinityAndNan) {
  const float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(to_f16<Rounding::rz>(infinity).bits, 0x7c00);
  EXPECT_EQ(to_f16<Rounding::rn>(-infinity).bits, 0xfc00);
  EXPECT_EQ(to_f16<Rounding::rz>(1e9f).bits, 0x7bff);
  EXPECT_EQ(to_f16<Rounding::rn>(float_of(0xff812345u)).bits, 0x7fff);
  EXPECT_EQ(to_bf16<Rounding::rn>(float_of(0x7f7fffffu)).bits, 0x7f80);
  EXPECT_EQ(to_bf16<Rounding::rz>(float_of(0x7f7fffffu)).bits, 0x7f7f);
  EXPECT_EQ(to_bf16<Rounding::rn>(float_of(0xff800001u)).bits, 0x7fff);
  EXPECT_EQ(to_bf16<Rounding::rn>(double_of(kNanF64)).bits, 0x7fff);
}

TEST(Half, RectifiesSaturatesAndPacks) {
  EXPECT_EQ(rectify<true>(f16{0xbc00}).bits, 0);
  EXPECT_EQ(rectify<true>(f16{0x8000}).bits, 0);
  EXPECT_EQ(rectify<true>(f16{0x7fff}).bits, 0x7fff);
  EXPECT_EQ(saturate_half<true>(f16{0x4000}).bits, 0x3c00);
  EXPECT_EQ(saturate_half<true>(bf16{0x7fff}).bits, 0);
  EXPECT_EQ(saturate_half<true>(bf16{0x3f00}).bits, 0x3f00);
  EXPECT_EQ(pack(f16{1}, f16{2}), 0x00020001u);
  EXPECT_EQ(upper<f16>(0x00020001u).bits, 2);
  EXPECT_EQ(flush<true>(f16{0x83ff}).bits, 0x8000);
}

}  // namespace
}  // namespace assay::vgpu::semantics
