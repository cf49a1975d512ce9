// SPDX-License-Identifier: MIT
// The dot products of tensor.cpp, eight columns of two rows at a time; tensor_rows.hpp says how. Lanes 2 j and 2 j + 1
// are column j of the upper and of the lower row, so that a pair of A's elements is one 64-bit broadcast. The functions
// carry their target themselves; tensor.cpp calls them only where the processor has AVX-512.
#include <cmath>
#include <immintrin.h>

#include "vgpu/semantics/tensor_rows.hpp"

// GCC 12 takes the undefined operand inside its own AVX-512 intrinsics for a mistake of ours.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#define ASSAY_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma,f16c")]]

namespace assay::vgpu::semantics {

namespace {

constexpr int kColumns = 8;

struct Operands {
  __m512 value;
  __m512 power;
};

// What a call has in common.
struct Call {
  __m512 lowest_power_a, lowest_power_b, lowest_power_c;
  __m512i scale_base;   // less the bits of a lead: those of 2^fraction_bits / lead
  __m512 last_place;    // 2^-fraction_bits
  __mmask16 vanishing;  // all ones where products of nonzero operands may be too small for a float
};

ASSAY_AVX512 inline Call call_of(const DotUnit& unit) {
  return {_mm512_set1_ps(std::ldexp(1.0f, unit.min_exponent_a)),
          _mm512_set1_ps(std::ldexp(1.0f, unit.min_exponent_b)),
          _mm512_set1_ps(std::ldexp(1.0f, unit.min_exponent_c)),
          _mm512_set1_epi32((254 + unit.fraction_bits) << 23),
          _mm512_set1_ps(std::ldexp(1.0f, -unit.fraction_bits)),
          static_cast<__mmask16>(unit.min_exponent_a + unit.min_exponent_b < -140 ? 0xffff : 0)};
}

// Operands without the bits that the unit ignores, and the powers of two that they are aligned by; zeros have none.
ASSAY_AVX512 inline Operands decode(__m512 x, __m512 lowest_power) {
  const __m512 value = _mm512_and_ps(x, _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(0xffffe000u))));
  const __m512 field = _mm512_and_ps(value, _mm512_castsi512_ps(_mm512_set1_epi32(0x7f800000)));
  const __mmask16 nonzero = _mm512_cmp_ps_mask(value, _mm512_setzero_ps(), _CMP_NEQ_UQ);
  return {value, _mm512_maskz_max_ps(nonzero, field, lowest_power)};
}

struct DecodedOperands {
  alignas(64) float row_value[2 * kMaxDepth];  // of two rows, element by element
  alignas(64) float row_power[2 * kMaxDepth];
  __m512 column_value[kMaxDepth];
  __m512 column_power[kMaxDepth];
};

ASSAY_AVX512 inline bool any_special(__m512 largest_power) {
  return _mm512_cmp_ps_mask(largest_power, _mm512_set1_ps(INFINITY), _CMP_EQ_OQ) != 0;
}

// Returns false where an operand is infinite or NaN.
ASSAY_AVX512 bool load_columns(const Call& call, const MatrixProduct& p, int column, DecodedOperands& decoded) {
  const __m512i twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
  __m512 largest = _mm512_setzero_ps();
  for (int k = 0; k < p.k; ++k) {
    const __m256 eight = _mm256_loadu_ps(p.b + static_cast<size_t>(k) * p.n + column);
    const Operands x = decode(_mm512_permutexvar_ps(twice, _mm512_castps256_ps512(eight)), call.lowest_power_b);
    decoded.column_value[k] = x.value;
    decoded.column_power[k] = x.power;
    largest = _mm512_max_ps(largest, x.power);
  }
  return !any_special(largest);
}

ASSAY_AVX512 inline bool load_rows(const Call& call, const MatrixProduct& p, int row, DecodedOperands& decoded) {
  const __m512i by_pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const float* upper = p.a + static_cast<size_t>(row) * p.k;
  const float* lower = upper + p.k;
  __m512 largest = _mm512_setzero_ps();
  for (int k = 0; k < p.k; k += kColumns) {
    const auto there = static_cast<__mmask8>(p.k - k >= kColumns ? 0xff : (1 << (p.k - k)) - 1);
    const __m512 x = _mm512_castps256_ps512(_mm256_maskz_loadu_ps(there, upper + k));
    const __m512 y = _mm512_castps256_ps512(_mm256_maskz_loadu_ps(there, lower + k));
    const Operands pairs = decode(_mm512_permutex2var_ps(x, by_pairs, y), call.lowest_power_a);
    _mm512_store_ps(decoded.row_value + 2 * k, pairs.value);
    _mm512_store_ps(decoded.row_power + 2 * k, pairs.power);
    largest = _mm512_max_ps(largest, pairs.power);
  }
  return !any_special(largest);
}

// Element k of both rows, in every pair of lanes.
ASSAY_AVX512 inline __m512 pair(const float* rows, int k) {
  return _mm512_castpd_ps(_mm512_set1_pd(*reinterpret_cast<const double __attribute__((may_alias))*>(rows + 2 * k)));
}

// sum * unit in the format of the result.
template <TensorResult Result>
ASSAY_AVX512 inline __m512 round_sums(__m512i sum, __m512 unit) {
  const __m512 cut = _mm512_cvt_roundepi32_ps(sum, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
  if (Result == TensorResult::f32) return _mm512_mul_ps(cut, unit);
  const __m512i bits = _mm512_castps_si512(cut);
  if (Result == TensorResult::f32_short)
    return _mm512_mul_ps(_mm512_castsi512_ps(_mm512_and_si512(bits, _mm512_set1_epi32(~0x3ff))), unit);
  // To odd: the last digit says whether anything was cut, and the next rounding takes it into account.
  const __mmask16 inexact = _mm512_cmpneq_epi32_mask(_mm512_cvttps_epi32(cut), sum);
  const __m512 odd = _mm512_castsi512_ps(_mm512_mask_or_epi32(bits, inexact, bits, _mm512_set1_epi32(1)));
  const __m512 half = _mm512_cvtph_ps(_mm512_cvtps_ph(_mm512_mul_ps(odd, unit), _MM_FROUND_TO_NEAREST_INT));
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(half, _mm512_setzero_ps(), _CMP_NEQ_UQ), half);  // no negative zero
}

// One step of `Count` products from `first`; `bad` collects the lanes that the plain version must decide.
template <int Count, TensorResult Result>
ASSAY_AVX512 inline __m512 step(const Call& call, const DecodedOperands& decoded, int first, __m512 addend,
                                __mmask16& bad) {
  __m512 lead = _mm512_and_ps(addend, _mm512_castsi512_ps(_mm512_set1_epi32(0x7f800000)));
  if (Result == TensorResult::f16) {
    const __mmask16 nonzero = _mm512_cmp_ps_mask(addend, _mm512_setzero_ps(), _CMP_NEQ_UQ);
    lead = _mm512_maskz_max_ps(nonzero, lead, call.lowest_power_c);
  }
  __m512 product[Count], leads[2] = {lead, lead};
#pragma GCC unroll 32
  for (int i = 0; i < Count; ++i) {
    const int k = first + i;
    product[i] = _mm512_mul_ps(pair(decoded.row_value, k), decoded.column_value[k]);
    leads[i % 2] = _mm512_max_ps(leads[i % 2], _mm512_mul_ps(pair(decoded.row_power, k), decoded.column_power[k]));
  }
  lead = _mm512_max_ps(leads[0], leads[1]);
  const __mmask16 low = _mm512_cmp_ps_mask(lead, _mm512_set1_ps(kLowLead), _CMP_LT_OQ);
  const __mmask16 high = _mm512_cmp_ps_mask(lead, _mm512_set1_ps(kHighLead), _CMP_GT_OQ);
  // All zero is no reason to stop.
  const __mmask16 something = _mm512_cmp_ps_mask(_mm512_or_ps(lead, addend), _mm512_setzero_ps(), _CMP_NEQ_UQ);
  bad = static_cast<__mmask16>(bad | high | (low & (something | call.vanishing)));

  const __m512 used = _mm512_max_ps(lead, _mm512_set1_ps(kLowLead));
  const __m512 scale = _mm512_castsi512_ps(_mm512_sub_epi32(call.scale_base, _mm512_castps_si512(used)));
  __m512i sum[2] = {_mm512_cvttps_epi32(_mm512_mul_ps(addend, scale)), _mm512_setzero_si512()};
#pragma GCC unroll 32
  for (int i = 0; i < Count; ++i)
    sum[i % 2] = _mm512_add_epi32(sum[i % 2], _mm512_cvttps_epi32(_mm512_mul_ps(product[i], scale)));
  const __m512i total = _mm512_add_epi32(sum[0], sum[1]);
  if (Count > 8) {
    // Sixteen of the largest products can pass 2^31: then the parts have one sign and the total has the other.
    const __m512i turned = _mm512_and_si512(_mm512_xor_si512(total, sum[0]), _mm512_xor_si512(total, sum[1]));
    bad = static_cast<__mmask16>(bad | _mm512_movepi32_mask(turned));
  }
  return round_sums<Result>(total, _mm512_mul_ps(used, call.last_place));
}

// Two rows of eight results, or false where the plain version must decide.
template <int Count, TensorResult Result>
ASSAY_AVX512 inline bool multiply_two(const Call& call, const MatrixProduct& p, int row, int column,
                                      DecodedOperands& decoded) {
  if (!load_rows(call, p, row, decoded)) return false;
  const size_t upper = static_cast<size_t>(row) * p.n + column, lower = upper + static_cast<size_t>(p.n);
  const __m512i by_pairs = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const __m512i by_rows = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
  __m512 sum = _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm256_loadu_ps(p.c + upper)), by_pairs,
                                      _mm512_castps256_ps512(_mm256_loadu_ps(p.c + lower)));
  __mmask16 bad = 0;
  for (int k = 0; k < p.k; k += Count) sum = step<Count, Result>(call, decoded, k, sum, bad);
  if (bad != 0) return false;
  sum = _mm512_permutexvar_ps(by_rows, sum);
  _mm256_storeu_ps(p.d + upper, _mm512_castps512_ps256(sum));
  _mm256_storeu_ps(p.d + lower, _mm512_extractf32x8_ps(sum, 1));
  return true;
}

template <int Count, TensorResult Result>
ASSAY_AVX512 void multiply_rows(const DotUnit& unit, const MatrixProduct& p) {
  const Call call = call_of(unit);
  DecodedOperands decoded;
  for (int column = 0; column < p.n; column += kColumns) {
    const bool plain_columns = load_columns(call, p, column, decoded);
    for (int row = 0; row < p.m; row += 2) {
      if (plain_columns && multiply_two<Count, Result>(call, p, row, column, decoded)) continue;
      for (int i = row; i < row + 2; ++i)
        for (int j = column; j < column + kColumns; ++j)
          p.d[static_cast<size_t>(i) * p.n + j] = dot_plainly(unit, p, i, j);
    }
  }
}

template <int Count>
void multiply_by_result(const DotUnit& unit, const MatrixProduct& p) {
  switch (unit.result) {
    case TensorResult::f32:
      return multiply_rows<Count, TensorResult::f32>(unit, p);
    case TensorResult::f32_short:
      return multiply_rows<Count, TensorResult::f32_short>(unit, p);
    case TensorResult::f16:
      return multiply_rows<Count, TensorResult::f16>(unit, p);
  }
}

}  // namespace

bool avx512_can_multiply(const DotUnit& unit, const MatrixProduct& p) {
  return p.m % 2 == 0 && avx2_can_multiply(unit, p);
}

void multiply_rows_avx512(const DotUnit& unit, const MatrixProduct& p) {
  switch (unit.k_per_step) {
    case 4:
      return multiply_by_result<4>(unit, p);
    case 8:
      return multiply_by_result<8>(unit, p);
    case 16:
      return multiply_by_result<16>(unit, p);
    default:
      return multiply_by_result<32>(unit, p);
  }
}

}  // namespace assay::vgpu::semantics
