// SPDX-License-Identifier: MIT
#include "vgpu/semantics/tensor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "vgpu/semantics/float_bits.hpp"
#include "vgpu/semantics/half_arithmetic.hpp"
#include "vgpu/semantics/tensor_rows.hpp"

namespace assay::vgpu::semantics {

namespace {

// value = significand * 2^(exponent - bits), the significand carrying `bits` fraction bits.
struct Term {
  int exponent = kZeroExponent;
  int64_t significand = 0;
};

// Below its format's normal range a number keeps the smallest exponent. Bits that the format lacks fall off: the low 13
// of a tf32 operand.
Term decode(float x, int min_exponent, int bits) {
  const uint32_t word = bits_of(x);
  const int field = static_cast<int>(word >> 23 & 0xffu);
  const int64_t whole = static_cast<int64_t>(word & 0x7fffffu) | (field != 0 ? 0x800000 : 0);
  const int exponent = std::max(field, 1) - 127;
  const int shift = 23 - bits + std::max(min_exponent - exponent, 0);
  const int64_t significand = shift < 63 ? whole >> shift : 0;
  if (significand == 0) return {};
  return {std::max(exponent, min_exponent), (word >> 31) != 0 ? -significand : significand};
}

// significand * 2^shift, truncated toward zero.
int64_t align(int64_t significand, int shift) {
  if (shift >= 0) return significand * (int64_t{1} << shift);
  if (shift <= -63) return 0;
  return significand / (int64_t{1} << -shift);
}

// sum * 2^exponent in the format of the result.
float round_result(TensorResult result, int64_t sum, int exponent) {
  if (sum == 0) return 0.0f;
  const bool negative = sum < 0;
  const auto size = static_cast<uint64_t>(negative ? -sum : sum);
  const int highest = exponent + static_cast<int>(std::bit_width(size)) - 1;
  const bool half = result == TensorResult::f16;
  const int fraction = half ? 10 : result == TensorResult::f32_short ? 13 : 23;
  const int unit = std::max(highest, half ? -14 : -126) - fraction;
  const int shift = unit - exponent;
  uint64_t kept = size;
  int scale = exponent;
  if (shift > 0) {
    scale = unit;
    kept = shift < 64 ? size >> shift : 0;
    const uint64_t lost = shift < 64 ? size & ((uint64_t{1} << shift) - 1) : size;
    const uint64_t middle = shift <= 64 ? uint64_t{1} << (shift - 1) : 0;
    if (half && middle != 0 && (lost > middle || (lost == middle && (kept & 1) != 0))) ++kept;
  }
  if (kept == 0) return 0.0f;  // of either sign
  double value = std::ldexp(static_cast<double>(kept), scale);
  if (half && value > 65504.0) value = std::numeric_limits<double>::infinity();
  return static_cast<float>(negative ? -value : value);
}

// One step: `count` products and the addend.
float dot_step(const DotUnit& unit, int count, const float* a, const float* b, int b_stride, float c) {
  bool special = !std::isfinite(c);
  float special_sum = c;
  for (int i = 0; i < count; ++i) {
    const float x = a[i], y = b[i * b_stride];
    if (std::isfinite(x) && std::isfinite(y)) continue;
    special = true;
    special_sum += x * y;
  }
  // Finite products cannot change an infinity, and could overflow only here.
  if (special) return canonical(special_sum);

  const Term addend = decode(c, unit.min_exponent_c, 23);
  int lead = std::max(addend.exponent, unit.lowest_lead);
  for (int i = 0; i < count; ++i) {
    const Term x = decode(a[i], unit.min_exponent_a, 10), y = decode(b[i * b_stride], unit.min_exponent_b, 10);
    lead = std::max(lead, x.exponent + y.exponent);
  }
  int64_t sum = align(addend.significand, addend.exponent - lead + unit.fraction_bits - 23);
  for (int i = 0; i < count; ++i) {
    const Term x = decode(a[i], unit.min_exponent_a, 10), y = decode(b[i * b_stride], unit.min_exponent_b, 10);
    sum += align(x.significand * y.significand, x.exponent + y.exponent - lead + unit.fraction_bits - 20);
  }
  return round_result(unit.result, sum, lead - unit.fraction_bits);
}

using Rows = void (*)(const DotUnit&, const MatrixProduct&);

bool host_has_avx2() {
  static const bool has =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  return has;
}

bool host_has_avx512() {
  static const bool has =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}

Rows rows_for(const DotUnit& unit, const MatrixProduct& p) {
  if (host_has_avx512() && avx512_can_multiply(unit, p)) return multiply_rows_avx512;
  if (host_has_avx2() && avx2_can_multiply(unit, p)) return multiply_rows_avx2;
  return multiply_rows_plainly;
}

// Products of 8-bit floats on Hopper: k regrouped, the addend added at the end.
void multiply_pairs_apart(const DotUnit& unit, const MatrixProduct& p, Rows rows) {
  std::vector<float> a(static_cast<size_t>(p.m) * p.k), b(static_cast<size_t>(p.k) * p.n);
  std::vector<float> zero(static_cast<size_t>(p.m) * p.n), products(zero.size());
  for (int k = 0; k < p.k; ++k) {
    const int position = (k % 4 < 2 ? 0 : p.k / 2) + k / 4 * 2 + k % 2;
    for (int i = 0; i < p.m; ++i) a[static_cast<size_t>(i) * p.k + position] = p.a[static_cast<size_t>(i) * p.k + k];
    for (int j = 0; j < p.n; ++j) b[static_cast<size_t>(position) * p.n + j] = p.b[static_cast<size_t>(k) * p.n + j];
  }
  rows(unit, {p.m, p.n, p.k, a.data(), b.data(), zero.data(), products.data()});
  for (size_t i = 0; i < zero.size(); ++i) {
    if (unit.result == TensorResult::f16) {
      const f16 sum = half_add(to_f16<Rounding::rn>(p.c[i]), to_f16<Rounding::rn>(products[i]));
      p.d[i] = canonical(to_float(sum));
    } else {
      p.d[i] = add<Rounding::rn, false, false>(p.c[i], products[i]);
    }
  }
}

void multiply(const DotUnit& unit, const MatrixProduct& p, Rows rows) {
  if (unit.pairs_apart && p.k % 4 == 0) return multiply_pairs_apart(unit, p, rows);
  rows(unit, p);
}

}  // namespace

float dot_plainly(const DotUnit& unit, const MatrixProduct& p, int i, int j) {
  float sum = p.c[static_cast<size_t>(i) * p.n + j];
  const int step = std::max(1, unit.k_per_step);
  for (int k = 0; k < p.k; k += step)
    sum = dot_step(unit, std::min(step, p.k - k), p.a + static_cast<size_t>(i) * p.k + k,
                   p.b + static_cast<size_t>(k) * p.n + j, p.n, sum);
  return sum;
}

void multiply_rows_plainly(const DotUnit& unit, const MatrixProduct& p) {
  for (int i = 0; i < p.m; ++i)
    for (int j = 0; j < p.n; ++j) p.d[static_cast<size_t>(i) * p.n + j] = dot_plainly(unit, p, i, j);
}

void multiply_accumulate(const DotUnit& unit, int m, int n, int k, const float* a, const float* b, const float* c,
                         float* d) {
  const MatrixProduct product{m, n, k, a, b, c, d};
  multiply(unit, product, rows_for(unit, product));
}

void multiply_accumulate_plainly(const DotUnit& unit, int m, int n, int k, const float* a, const float* b,
                                 const float* c, float* d) {
  multiply(unit, {m, n, k, a, b, c, d}, multiply_rows_plainly);
}

void multiply_accumulate(int m, int n, int k, const double* a, const double* b, const double* c, double* d) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = c[i * n + j];
      for (int l = 0; l < k; ++l) sum = __builtin_fma(a[i * k + l], b[l * n + j], sum);
      d[i * n + j] = sum;
    }
}

void multiply_accumulate(int m, int n, int k, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d,
                         bool satfinite) {
  constexpr int64_t kLow = std::numeric_limits<int32_t>::min(), kHigh = std::numeric_limits<int32_t>::max();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      int64_t sum = c[i * n + j];
      for (int l = 0; l < k; ++l) sum += int64_t{a[i * k + l]} * b[l * n + j];
      if (satfinite) sum = std::clamp(sum, kLow, kHigh);
      d[i * n + j] = static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(sum)));
    }
}

void count_bits(int m, int n, int k, const int32_t* a, const int32_t* b, const int32_t* c, int32_t* d, bool exclusive) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      auto sum = static_cast<uint32_t>(c[i * n + j]);
      for (int l = 0; l < k; ++l) {
        const auto x = static_cast<uint32_t>(a[i * k + l]), y = static_cast<uint32_t>(b[l * n + j]);
        sum += static_cast<uint32_t>(std::popcount(exclusive ? x ^ y : x & y));
      }
      d[i * n + j] = static_cast<int32_t>(sum);
    }
}

}  // namespace assay::vgpu::semantics
