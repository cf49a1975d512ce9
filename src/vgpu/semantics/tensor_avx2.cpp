// SPDX-License-Identifier: MIT
// The dot products of tensor.cpp, eight columns at a time. The functions carry their target themselves, so that one
// binary runs on every x86-64; tensor.cpp calls them only where the processor has AVX2.
#include <algorithm>
#include <cstring>
#include <immintrin.h>

#include "vgpu/semantics/tensor_rows.hpp"

#define ASSAY_AVX2 [[gnu::target("avx2,fma,f16c")]]

namespace assay::vgpu::semantics {

namespace {

constexpr int kColumns = 8;
constexpr int kMaxDepth = 64;

// A register of eight terms: exponents, and signed significands.
struct Terms {
  __m256i exponent;
  __m256i significand;
};

// `bits` fraction bits are kept of each number, and shifted up by `scale`. Zeros get `zero_exponent`.
ASSAY_AVX2 inline Terms decode(__m256 x, int min_exponent, int bits, int scale, int zero_exponent) {
  const __m256i word = _mm256_castps_si256(x);
  const __m256i zero = _mm256_setzero_si256();
  const __m256i field = _mm256_and_si256(_mm256_srli_epi32(word, 23), _mm256_set1_epi32(0xff));
  const __m256i subnormal = _mm256_cmpeq_epi32(field, zero);
  const __m256i implicit = _mm256_andnot_si256(subnormal, _mm256_set1_epi32(0x800000));
  const __m256i whole = _mm256_or_si256(_mm256_and_si256(word, _mm256_set1_epi32(0x7fffff)), implicit);
  const __m256i exponent = _mm256_sub_epi32(_mm256_max_epi32(field, _mm256_set1_epi32(1)), _mm256_set1_epi32(127));
  const __m256i lowest = _mm256_set1_epi32(min_exponent);
  const __m256i under = _mm256_max_epi32(_mm256_sub_epi32(lowest, exponent), zero);
  const __m256i shift = _mm256_add_epi32(under, _mm256_set1_epi32(23 - bits));
  const __m256i size = _mm256_sll_epi32(_mm256_srlv_epi32(whole, shift), _mm_cvtsi32_si128(scale));
  const __m256i is_zero = _mm256_cmpeq_epi32(size, zero);
  const __m256i sign = _mm256_srai_epi32(word, 31);
  const __m256i signed_size = _mm256_sub_epi32(_mm256_xor_si256(size, sign), sign);
  return {_mm256_blendv_epi8(_mm256_max_epi32(exponent, lowest), _mm256_set1_epi32(zero_exponent), is_zero),
          signed_size};
}

ASSAY_AVX2 inline bool any_special(__m256 x) {
  const __m256i top = _mm256_set1_epi32(0x7f800000);
  const __m256i field = _mm256_and_si256(_mm256_castps_si256(x), top);
  return _mm256_movemask_epi8(_mm256_cmpeq_epi32(field, top)) != 0;
}

// How significands are scaled so that a product has `fraction_bits` below its unit; where the unit has fewer than the
// product's 20, the rest is part of the alignment shift.
struct Scaling {
  int a, b, c_left, extra_product, extra_c;
};

Scaling scaling_of(const DotUnit& unit) {
  const int up = std::max(unit.fraction_bits - 20, 0);
  const int a = up / 2;
  return {a, up - a, std::max(unit.fraction_bits - 23, 0), std::max(20 - unit.fraction_bits, 0),
          std::max(23 - unit.fraction_bits, 0)};
}

// Shift right by `shift` (32 and more give zero), toward zero.
ASSAY_AVX2 inline __m256i align(__m256i value, __m256i shift) {
  return _mm256_sign_epi32(_mm256_srlv_epi32(_mm256_abs_epi32(value), shift), value);
}

// sum * 2^exponent in the format of the result; `exact` turns false where a sum is outside of float's normal range.
ASSAY_AVX2 inline __m256 round_sums(__m256i sum, __m256i exponent, TensorResult result, bool& exact) {
  // Toward zero: where the conversion rounded up, the float's bits go down by one.
  const __m256i size = _mm256_abs_epi32(sum);
  const __m256 nearest = _mm256_cvtepi32_ps(size);
  const __m256i rounded_up = _mm256_cmpgt_epi32(_mm256_cvttps_epi32(nearest), size);
  __m256i bits = _mm256_add_epi32(_mm256_castps_si256(nearest), rounded_up);
  if (result == TensorResult::f16) {
    // To odd instead: the last digit says whether anything was cut, and the next rounding takes it into account.
    const __m256i whole = _mm256_cmpeq_epi32(_mm256_cvttps_epi32(_mm256_castsi256_ps(bits)), size);
    bits = _mm256_or_si256(bits, _mm256_andnot_si256(whole, _mm256_set1_epi32(1)));
  }
  if (result == TensorResult::f32_short) bits = _mm256_and_si256(bits, _mm256_set1_epi32(~0x3ff));

  const __m256i nonzero = _mm256_cmpgt_epi32(size, _mm256_setzero_si256());
  const __m256i field = _mm256_add_epi32(_mm256_srli_epi32(bits, 23), exponent);
  const __m256i below = _mm256_cmpgt_epi32(_mm256_set1_epi32(1), field);
  const __m256i above = _mm256_cmpgt_epi32(field, _mm256_set1_epi32(254));
  if (_mm256_testz_si256(nonzero, _mm256_or_si256(below, above)) == 0) exact = false;
  const __m256i scaled = _mm256_and_si256(_mm256_add_epi32(bits, _mm256_slli_epi32(exponent, 23)), nonzero);
  const __m256i sign = _mm256_and_si256(sum, _mm256_set1_epi32(static_cast<int>(0x80000000u)));
  const __m256 value = _mm256_castsi256_ps(_mm256_or_si256(scaled, sign));
  if (result != TensorResult::f16) return value;
  return _mm256_cvtph_ps(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
}

// The decoded operands of one block: a row of A as scalars to broadcast, eight columns of B as vectors.
struct Block {
  alignas(32) int32_t row_exponent[kMaxDepth];
  alignas(32) int32_t row_significand[kMaxDepth];
  __m256i column_exponent[kMaxDepth];
  __m256i column_significand[kMaxDepth];
};

// Returns false where an operand is infinite or NaN.
ASSAY_AVX2 bool load_columns(const DotUnit& unit, const Scaling& scaling, const MatrixProduct& p, int column,
                             Block& block) {
  bool special = false;
  for (int k = 0; k < p.k; ++k) {
    const __m256 x = _mm256_loadu_ps(p.b + static_cast<size_t>(k) * p.n + column);
    special |= any_special(x);
    const Terms t = decode(x, unit.min_exponent_b, 10, scaling.b, kZeroExponent);
    block.column_exponent[k] = t.exponent;
    // Only the low halves take part in the 16-bit products.
    block.column_significand[k] = _mm256_and_si256(t.significand, _mm256_set1_epi32(0xffff));
  }
  return !special;
}

ASSAY_AVX2 bool load_row(const DotUnit& unit, const Scaling& scaling, const MatrixProduct& p, int row, Block& block) {
  bool special = false;
  const float* from = p.a + static_cast<size_t>(row) * p.k;
  for (int k = 0; k < p.k; k += kColumns) {
    alignas(32) float padded[kColumns] = {};
    __m256 x;
    if (p.k - k >= kColumns) {
      x = _mm256_loadu_ps(from + k);
    } else {
      std::memcpy(padded, from + k, static_cast<size_t>(p.k - k) * sizeof(float));
      x = _mm256_load_ps(padded);
    }
    special |= any_special(x);
    const Terms t = decode(x, unit.min_exponent_a, 10, scaling.a, kZeroExponent);
    _mm256_store_si256(reinterpret_cast<__m256i*>(block.row_exponent + k), t.exponent);
    _mm256_store_si256(reinterpret_cast<__m256i*>(block.row_significand + k), t.significand);
  }
  return !special;
}

// One step of `Count` products from `first` for eight columns; `exact` turns false where the plain version must decide.
template <int Count>
ASSAY_AVX2 inline __m256 step(const DotUnit& unit, const Scaling& scaling, const Block& block, int first, __m256 addend,
                              bool& exact) {
  const Terms c = decode(addend, unit.min_exponent_c, 23, scaling.c_left, kLowestLead);
  __m256i lead = c.exponent;
  __m256i exponent[Count];
#pragma GCC unroll 32
  for (int i = 0; i < Count; ++i) {
    const __m256i row = _mm256_set1_epi32(block.row_exponent[first + i]);
    exponent[i] = _mm256_add_epi32(row, block.column_exponent[first + i]);
    lead = _mm256_max_epi32(lead, exponent[i]);
  }
  const __m256i lead_c = _mm256_add_epi32(lead, _mm256_set1_epi32(scaling.extra_c));
  const __m256i lead_p = _mm256_add_epi32(lead, _mm256_set1_epi32(scaling.extra_product));
  // Two sums of at most eight products below 2^27 (or more but smaller ones) and the addend fit in 32 bits each.
  __m256i sum[2] = {align(c.significand, _mm256_sub_epi32(lead_c, c.exponent)), _mm256_setzero_si256()};
#pragma GCC unroll 32
  for (int i = 0; i < Count; ++i) {
    const __m256i row = _mm256_set1_epi32(block.row_significand[first + i]);
    const __m256i product = _mm256_madd_epi16(row, block.column_significand[first + i]);
    sum[i % 2] = _mm256_add_epi32(sum[i % 2], align(product, _mm256_sub_epi32(lead_p, exponent[i])));
  }

  const __m256i total = _mm256_add_epi32(sum[0], sum[1]);
  if (Count > 8) {
    // Sixteen of the largest products can pass 2^31: then the parts have one sign and the total has the other.
    const __m256i turned = _mm256_and_si256(_mm256_xor_si256(total, sum[0]), _mm256_xor_si256(total, sum[1]));
    if (_mm256_movemask_ps(_mm256_castsi256_ps(turned)) != 0) exact = false;
  }
  return round_sums(total, _mm256_sub_epi32(lead, _mm256_set1_epi32(unit.fraction_bits)), unit.result, exact);
}

// A row of eight results, or false where the plain version must decide.
template <int Count>
ASSAY_AVX2 inline bool multiply_row(const DotUnit& unit, const Scaling& scaling, const MatrixProduct& p, int row,
                                    int column, Block& block) {
  if (!load_row(unit, scaling, p, row, block)) return false;
  const size_t place = static_cast<size_t>(row) * p.n + column;
  __m256 sum = _mm256_loadu_ps(p.c + place);
  bool exact = true;
  for (int k = 0; k < p.k; k += Count) {
    if (any_special(sum)) return false;
    sum = step<Count>(unit, scaling, block, k, sum, exact);
  }
  if (exact) _mm256_storeu_ps(p.d + place, sum);
  return exact;
}

template <int Count>
ASSAY_AVX2 void multiply_rows(const DotUnit& unit, const MatrixProduct& p) {
  const Scaling scaling = scaling_of(unit);
  Block block;
  for (int column = 0; column < p.n; column += kColumns) {
    const bool plain_columns = load_columns(unit, scaling, p, column, block);
    for (int row = 0; row < p.m; ++row) {
      if (plain_columns && multiply_row<Count>(unit, scaling, p, row, column, block)) continue;
      for (int j = column; j < column + kColumns; ++j)
        p.d[static_cast<size_t>(row) * p.n + j] = dot_plainly(unit, p, row, j);
    }
  }
}

}  // namespace

bool avx2_can_multiply(const DotUnit& unit, const MatrixProduct& p) {
  const int count = unit.k_per_step;
  const bool has_version = count == 4 || count == 8 || count == 16 || count == 32;
  const bool fits = unit.fraction_bits <= 20 || (unit.fraction_bits <= 25 && count <= 16);
  return has_version && fits && p.n % kColumns == 0 && p.k % count == 0 && p.k <= kMaxDepth;
}

void multiply_rows_avx2(const DotUnit& unit, const MatrixProduct& p) {
  switch (unit.k_per_step) {
    case 4:
      return multiply_rows<4>(unit, p);
    case 8:
      return multiply_rows<8>(unit, p);
    case 16:
      return multiply_rows<16>(unit, p);
    default:
      return multiply_rows<32>(unit, p);
  }
}

}  // namespace assay::vgpu::semantics
