// SPDX-License-Identifier: MIT
#include "vgpu/semantics/tensor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "base/random.hpp"
#include "vgpu/semantics/float8.hpp"
#include "vgpu/semantics/half.hpp"
#include "vgpu/semantics/tensor_rows.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kTensorSeed = 20269;
__extension__ using Int128 = __int128;

struct Format {
  TensorOperand operand;
  int k;
};
constexpr Format kFormats[] = {{TensorOperand::f16, 16}, {TensorOperand::f16, 8},  {TensorOperand::bf16, 16},
                               {TensorOperand::tf32, 8}, {TensorOperand::tf32, 4}, {TensorOperand::e4m3, 32},
                               {TensorOperand::e5m2, 32}};
constexpr TensorArchitecture kArchitectures[] = {TensorArchitecture::ampere, TensorArchitecture::ada,
                                                 TensorArchitecture::hopper};

// --- operands -------------------------------------------------------------------------------------------------------

float round_operand(TensorOperand operand, float x) {
  switch (operand) {
    case TensorOperand::f16:
      return to_float(to_f16<Rounding::rn>(x));
    case TensorOperand::bf16:
      return to_float(to_bf16<Rounding::rn>(x));
    case TensorOperand::tf32:
      return x;  // the low bits are for the unit to ignore
    case TensorOperand::e4m3:
      return to_float(to_float8<e4m3>(x));
    case TensorOperand::e5m2:
      return to_float(to_float8<e5m2>(x));
  }
  return x;
}

float scaled(Random& random, int exponent) {
  const float x = std::ldexp(1.0f + static_cast<float>(random.uniform()), exponent);
  return random.below(2) == 0 ? x : -x;
}

// One number for a style of case: alike, wide range, alignment at the adder's edge, cancelling, tiny, huge, full,
// special, mostly zero.
float random_operand(Random& random, TensorOperand operand, int style) {
  const bool wide_range = operand == TensorOperand::bf16 || operand == TensorOperand::tf32;
  switch (style) {
    case 0:
      return round_operand(operand, scaled(random, -static_cast<int>(random.below(3))));
    case 1:
      return round_operand(operand, scaled(random, static_cast<int>(random.below(30)) - 15));
    case 2:
      return round_operand(operand, scaled(random, random.below(8) == 0 ? 5 : -8 + static_cast<int>(random.below(4))));
    case 3:
      return round_operand(operand, random.below(2) == 0 ? 1.5f : -1.5f);
    case 4:
      return round_operand(operand, scaled(random, wide_range ? -120 + static_cast<int>(random.below(70))
                                                              : -22 + static_cast<int>(random.below(14))));
    case 5:
      return round_operand(operand, scaled(random, wide_range ? 60 + static_cast<int>(random.below(8))
                                                              : 13 + static_cast<int>(random.below(3))));
    case 6:
      return round_operand(operand, 2.0f - 0x1p-10f);
    case 8:
      return random.below(4) != 0 ? 0.0f : random_operand(random, operand, 4);
    default: {
      constexpr float kSpecial[] = {INFINITY, -INFINITY, NAN, 0.0f, -0.0f};
      if (random.below(60) == 0) return round_operand(operand, kSpecial[random.below(5)]);
      return round_operand(operand, scaled(random, 0));
    }
  }
}

struct Matrices {
  int k = 0;
  std::vector<float> a, b, c;
};

Matrices random_matrices(Random& random, TensorOperand operand, bool half, int k, int style) {
  Matrices x{k, std::vector<float>(16 * k), std::vector<float>(k * 8), std::vector<float>(16 * 8)};
  for (float& v : x.a) v = random_operand(random, operand, style);
  for (float& v : x.b) v = random_operand(random, operand, style);
  for (float& v : x.c) {
    const int spread =
        style == 5 && !half ? 120 + static_cast<int>(random.below(8)) : static_cast<int>(random.below(40)) - 28;
    v = random.below(5) == 0
            ? 0.0f
            : scaled(random,
                     style % 4 == 0 && style != 0 && !half ? -149 + static_cast<int>(random.below(40)) : spread);
    if (style == 7 && random.below(20) == 0) v = INFINITY;
    if (half) v = to_float(to_f16<Rounding::rn>(v));
  }
  if (style == 6)  // the widest sums: everything positive and full
    for (auto* m : {&x.a, &x.b})
      for (float& v : *m) v = std::fabs(v);
  return x;
}

// --- an independent model -------------------------------------------------------------------------------------------

// A finite float as whole * 2^exponent with the exponent of its format's smallest normal number at least.
struct Number {
  Int128 whole = 0;  // in units of 2^(exponent - 23)
  int exponent = 0;
};

Number number_of(float x, int lowest) {
  if (x == 0.0f) return {0, -100000};
  int exponent = 0;
  const float fraction = std::frexp(x, &exponent);  // [0.5, 1)
  exponent = std::max(exponent - 1, lowest);
  (void)fraction;
  return {static_cast<Int128>(std::ldexp(static_cast<double>(x), 23 - exponent)), exponent};
}

// floor(|x| 2^shift) with the sign of x.
Int128 truncate(Int128 x, int shift) {
  const bool negative = x < 0;
  Int128 size = negative ? -x : x;
  size = shift >= 0 ? size << shift : shift < -120 ? 0 : size >> -shift;
  return negative ? -size : size;
}

// Products of two 24-bit numbers (46 fraction bits) at the shared exponent, cut to `fraction` bits; long double, whose
// 64 digits hold every sum here, does the rounding.
float model_step(const DotUnit& unit, const float* a, const float* b, int count, float c) {
  double probe = c;
  bool finite = std::isfinite(c);
  for (int i = 0; i < count; ++i) {
    finite = finite && std::isfinite(a[i]) && std::isfinite(b[i]);
    probe += static_cast<double>(a[i]) * b[i];
  }
  if (!finite) return std::isnan(probe) ? float_of(kNanF32) : static_cast<float>(probe);
  const Number z = number_of(c, unit.min_exponent_c);
  int lead = std::max(z.exponent, unit.lowest_lead);
  for (int i = 0; i < count; ++i)
    lead =
        std::max(lead, number_of(a[i], unit.min_exponent_a).exponent + number_of(b[i], unit.min_exponent_b).exponent);
  Int128 sum = truncate(z.whole, std::max(z.exponent - lead, -1000) + unit.fraction_bits - 23);
  for (int i = 0; i < count; ++i) {
    const Number x = number_of(a[i], unit.min_exponent_a), y = number_of(b[i], unit.min_exponent_b);
    sum += truncate(x.whole * y.whole, std::max(x.exponent + y.exponent - lead, -1000) + unit.fraction_bits - 46);
  }
  const long double exact = std::ldexp(static_cast<long double>(static_cast<int64_t>(sum)), lead - unit.fraction_bits);
  if (exact == 0) return 0.0f;
  int exponent = 0;
  std::frexp(exact, &exponent);
  const bool half = unit.result == TensorResult::f16;
  const int fraction = half ? 10 : unit.result == TensorResult::f32_short ? 13 : 23;
  const int last = std::max(exponent - 1, half ? -14 : -126) - fraction;
  const long double digits = std::ldexp(exact, -last);
  const long double kept = half ? std::nearbyint(digits) : std::trunc(digits);
  const auto value = static_cast<double>(std::ldexp(kept, last));
  if (half && std::fabs(value) > 65504.0) return value < 0 ? -INFINITY : INFINITY;
  const auto result = static_cast<float>(value);
  return result == 0.0f ? 0.0f : result;
}

float model(const DotUnit& unit, const Matrices& x, int row, int column) {
  std::vector<float> a(x.k), b(x.k);
  for (int i = 0; i < x.k; ++i) {
    const auto cut = [](float v) { return float_of(bits_of(v) & 0xffffe000u); };
    a[i] = cut(x.a[row * x.k + i]);
    b[i] = cut(x.b[i * 8 + column]);
  }
  float sum = x.c[row * 8 + column];
  for (int i = 0; i < x.k; i += unit.k_per_step) sum = model_step(unit, &a[i], &b[i], unit.k_per_step, sum);
  return sum;
}

// --- tests ----------------------------------------------------------------------------------------------------------

template <class Check>
void for_each_unit(Check check) {
  for (const TensorArchitecture architecture : kArchitectures)
    for (const Format& format : kFormats)
      for (const bool half : {false, true})
        for (const auto instruction : {TensorInstruction::mma, TensorInstruction::wgmma}) {
          if (half && (format.operand == TensorOperand::bf16 || format.operand == TensorOperand::tf32)) continue;
          if (instruction == TensorInstruction::wgmma && architecture != TensorArchitecture::hopper) continue;
          check(dot_unit(architecture, instruction, format.operand, format.operand, half, format.k), format, half);
        }
}

testing::Message where(const Format& format, bool half, int style, size_t i) {
  return testing::Message() << "operand " << static_cast<int>(format.operand) << " k " << format.k << " half " << half
                            << " style " << style << " element " << i << " seed " << kTensorSeed;
}

TEST(Tensor, PlainAgreesWithTheModel) {
  Random random(kTensorSeed);
  for_each_unit([&](const DotUnit& unit, const Format& format, bool half) {
    if (unit.pairs_apart) return;
    for (int style = 0; style < 9; ++style) {
      for (int round = 0; round < 12; ++round) {
        const Matrices x = random_matrices(random, format.operand, half, format.k, style);
        std::array<float, 128> d{};
        multiply_accumulate_plainly(unit, 16, 8, x.k, x.a.data(), x.b.data(), x.c.data(), d.data());
        for (int i = 0; i < 128; ++i) {
          const float expected = model(unit, x, i / 8, i % 8);
          ASSERT_EQ(bits_of(d[i]), bits_of(expected))
              << where(format, half, style, i) << std::hexfloat << " " << d[i] << " " << expected;
        }
      }
    }
  });
}

using Rows = void (*)(const DotUnit&, const MatrixProduct&);

void expect_agreement_with_plain_code(Rows rows) {
  Random random(kTensorSeed + 1);
  size_t compared = 0;
  for_each_unit([&](const DotUnit& unit, const Format& format, bool half) {
    for (int style = 0; style < 9; ++style) {
      for (int round = 0; round < 40; ++round) {
        const Matrices x = random_matrices(random, format.operand, half, format.k, style);
        std::array<float, 128> fast{}, plain{};
        MatrixProduct product{16, 8, x.k, x.a.data(), x.b.data(), x.c.data(), fast.data()};
        ASSERT_TRUE(avx2_can_multiply(unit, product) && avx512_can_multiply(unit, product));
        rows(unit, product);
        product.d = plain.data();
        multiply_rows_plainly(unit, product);
        for (size_t i = 0; i < fast.size(); ++i)
          ASSERT_EQ(bits_of(fast[i]), bits_of(plain[i]))
              << where(format, half, style, i) << std::hexfloat << " " << fast[i] << " " << plain[i];
        compared += fast.size();
      }
    }
  });
  EXPECT_GE(compared, 1000000u);
}

TEST(Tensor, Avx2CodeAgreesWithPlainCode) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("f16c")) GTEST_SKIP() << "no AVX2 here";
  expect_agreement_with_plain_code(multiply_rows_avx2);
}

TEST(Tensor, Avx512CodeAgreesWithPlainCode) {
  if (!__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl")) GTEST_SKIP() << "no AVX-512 here";
  expect_agreement_with_plain_code(multiply_rows_avx512);
}

// Several blocks of columns and a depth of several steps, as a larger instruction has them.
TEST(Tensor, WideProductsAgreeWithPlainCode) {
  Random random(kTensorSeed + 2);
  const DotUnit unit =
      dot_unit(TensorArchitecture::ada, TensorInstruction::mma, TensorOperand::f16, TensorOperand::f16, false, 16);
  std::vector<float> a(6 * 40), b(40 * 24), c(6 * 24), fast(6 * 24), plain(6 * 24);
  for (auto* m : {&a, &b, &c})
    for (float& v : *m) v = random_operand(random, TensorOperand::f16, 1);
  multiply_accumulate(unit, 6, 24, 40, a.data(), b.data(), c.data(), fast.data());
  multiply_accumulate_plainly(unit, 6, 24, 40, a.data(), b.data(), c.data(), plain.data());
  for (size_t i = 0; i < fast.size(); ++i)
    ASSERT_EQ(bits_of(fast[i]), bits_of(plain[i])) << i << " seed " << kTensorSeed + 2;
}

// Measured on an H200: no result is a negative zero, and 2^-158 is the last place that can still tip a sum.
TEST(Tensor, HopperNearZero) {
  const DotUnit unit =
      dot_unit(TensorArchitecture::hopper, TensorInstruction::mma, TensorOperand::bf16, TensorOperand::bf16, false, 16);
  std::vector<float> a(16 * 16), b(16 * 8), c(16 * 8, -0.0f), d(16 * 8);
  const auto run = [&] {
    multiply_accumulate(unit, 16, 8, 16, a.data(), b.data(), c.data(), d.data());
    return bits_of(d[0]);
  };
  EXPECT_EQ(run(), 0u);
  a[0] = 0x1p-74f, b[0] = 0x1p-75f;
  a[1] = -0x1p-79f, b[8] = 0x1p-79f;
  EXPECT_EQ(run(), 0u);
  b[8] = 0x1p-80f;
  EXPECT_EQ(run(), 1u);
  a[0] = 0.0f;
  EXPECT_EQ(run(), 0u);
}

TEST(Tensor, TruncatesWhereAPlainLoopWouldNot) {
  const DotUnit ada =
      dot_unit(TensorArchitecture::ada, TensorInstruction::mma, TensorOperand::f16, TensorOperand::f16, false, 16);
  const DotUnit hopper =
      dot_unit(TensorArchitecture::hopper, TensorInstruction::mma, TensorOperand::f16, TensorOperand::f16, false, 16);
  std::vector<float> a(16 * 16), b(16 * 8), c(16 * 8), d(16 * 8);
  // 1 + 2^-25 - 1: the small term survives with 25 fraction bits, not with 24.
  const auto run = [&](const DotUnit& unit) {
    multiply_accumulate(unit, 16, 8, 16, a.data(), b.data(), c.data(), d.data());
    return d[0];
  };
  for (float& v : b) v = 1.0f;
  a[0] = 1.0f, a[1] = 0x1p-14f, a[2] = -1.0f;
  b[8] = 0x1p-11f;
  EXPECT_EQ(run(ada), 0.0f);
  EXPECT_EQ(run(hopper), 0x1p-25f);
  // The halves of k follow each other on Ada: by the second, the large terms have gone.
  a[1] = 0.0f, a[9] = 0x1p-14f;
  b[9 * 8] = 0x1p-11f;
  EXPECT_EQ(run(ada), 0x1p-25f);
  // Sums are rounded toward zero: 1 + 2^-24 + 2^-25 is 1.
  a[2] = 0.0f, a[9] = 0.0f, a[3] = 0x1.8p-12f, b[3 * 8] = 0x1p-12f;
  EXPECT_EQ(run(hopper), 1.0f);
}

TEST(Tensor, ResultMayBeTheAddend) {
  const DotUnit unit =
      dot_unit(TensorArchitecture::hopper, TensorInstruction::mma, TensorOperand::e4m3, TensorOperand::e4m3, false, 32);
  std::vector<float> a(16 * 32, 1.0f), b(32 * 8, 1.0f), c(16 * 8, 0.5f);
  multiply_accumulate(unit, 16, 8, 32, a.data(), b.data(), c.data(), c.data());
  EXPECT_EQ(c[0], 32.5f);
  EXPECT_EQ(c[127], 32.5f);
}

TEST(Tensor, DoublesAreAChainOfFusedOperations) {
  const double a[4] = {1.0, 0x1p-53, 0x1p-53, -1.0}, b[4] = {1.0, 1.0, 1.0, 1.0}, c[1] = {0.0};
  double d[1];
  multiply_accumulate(1, 1, 4, a, b, c, d);
  EXPECT_EQ(d[0], 0.0);
}

TEST(Tensor, IntegersWrapOrSaturate) {
  const int32_t a[2] = {127, 127}, b[2] = {127, 127}, c[1] = {0x7fffffff};
  int32_t d[1];
  multiply_accumulate(1, 1, 2, a, b, c, d, true);
  EXPECT_EQ(d[0], 0x7fffffff);
  multiply_accumulate(1, 1, 2, a, b, c, d, false);
  EXPECT_EQ(d[0], static_cast<int32_t>(0x7fffffffu + 2u * 127u * 127u));
}

TEST(Tensor, BitsAreCounted) {
  const int32_t a[] = {0x0f, -1};       // (1, 2)
  const int32_t b[] = {0x3c, 1, 0, 1};  // (2, 2)
  const int32_t c[] = {100, -1};
  int32_t d[2];
  count_bits(1, 2, 2, a, b, c, d, false);
  EXPECT_EQ(d[0], 102);
  EXPECT_EQ(d[1], 1);
  count_bits(1, 2, 2, a, b, c, d, true);
  EXPECT_EQ(d[0], 100 + 4 + 32);
  EXPECT_EQ(d[1], -1 + 3 + 31);
}

}  // namespace
}  // namespace assay::vgpu::semantics
