// SPDX-License-Identifier: MIT
// The dot products of tensor.cpp, eight columns at a time; tensor_rows.hpp says how. The functions carry their target
// themselves, so that one binary runs on every x86-64; tensor.cpp calls them only where the processor has AVX2.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <immintrin.h>

#include "vgpu/semantics/tensor_rows.hpp"

#define ASSAY_AVX2 [[gnu::target("avx2,fma,f16c")]]

namespace assay::vgpu::semantics {

namespace {

constexpr int kColumns = 8;

// Eight operands without the bits that the unit ignores, and the powers of two that they are aligned by; zeros have
// none.
struct Operands {
  __m256 value;
  __m256 power;
};

ASSAY_AVX2 inline Operands decode(__m256 x, float lowest_power) {
  const __m256 value = _mm256_and_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(0xffffe000u))));
  const __m256 field = _mm256_and_ps(value, _mm256_castsi256_ps(_mm256_set1_epi32(0x7f800000)));
  const __m256 nonzero = _mm256_cmp_ps(value, _mm256_setzero_ps(), _CMP_NEQ_UQ);
  return {value, _mm256_and_ps(_mm256_max_ps(field, _mm256_set1_ps(lowest_power)), nonzero)};
}

// What a call has in common.
struct Call {
  float lowest_power_a, lowest_power_b;
  __m256 lowest_power_c;
  __m256i scale_base;  // less the bits of a lead: those of 2^fraction_bits / lead
  __m256 last_place;   // 2^-fraction_bits
  bool can_vanish;     // products of nonzero operands may be too small for a float
};

ASSAY_AVX2 inline Call call_of(const DotUnit& unit) {
  return {std::ldexp(1.0f, unit.min_exponent_a),
          std::ldexp(1.0f, unit.min_exponent_b),
          _mm256_set1_ps(std::ldexp(1.0f, unit.min_exponent_c)),
          _mm256_set1_epi32((254 + unit.fraction_bits) << 23),
          _mm256_set1_ps(std::ldexp(1.0f, -unit.fraction_bits)),
          unit.min_exponent_a + unit.min_exponent_b < -140};
}

struct DecodedOperands {
  alignas(32) float row_value[kMaxDepth];
  alignas(32) float row_power[kMaxDepth];
  __m256 column_value[kMaxDepth];
  __m256 column_power[kMaxDepth];
};

ASSAY_AVX2 inline bool any_special(__m256 largest_power) {
  return _mm256_movemask_ps(_mm256_cmp_ps(largest_power, _mm256_set1_ps(INFINITY), _CMP_EQ_OQ)) != 0;
}

// Returns false where an operand is infinite or NaN.
ASSAY_AVX2 bool load_columns(const Call& call, const MatrixProduct& p, int column, DecodedOperands& decoded) {
  __m256 largest = _mm256_setzero_ps();
  for (int k = 0; k < p.k; ++k) {
    const Operands x = decode(_mm256_loadu_ps(p.b + static_cast<size_t>(k) * p.n + column), call.lowest_power_b);
    decoded.column_value[k] = x.value;
    decoded.column_power[k] = x.power;
    largest = _mm256_max_ps(largest, x.power);
  }
  return !any_special(largest);
}

ASSAY_AVX2 inline bool load_row(const Call& call, const MatrixProduct& p, int row, DecodedOperands& decoded) {
  __m256 largest = _mm256_setzero_ps();
  const float* from = p.a + static_cast<size_t>(row) * p.k;
  for (int k = 0; k < p.k; k += kColumns) {
    alignas(32) float padded[kColumns] = {};
    const bool whole = p.k - k >= kColumns;
    if (!whole) std::memcpy(padded, from + k, static_cast<size_t>(p.k - k) * sizeof(float));
    const Operands x = decode(_mm256_loadu_ps(whole ? from + k : padded), call.lowest_power_a);
    _mm256_store_ps(decoded.row_value + k, x.value);
    _mm256_store_ps(decoded.row_power + k, x.power);
    largest = _mm256_max_ps(largest, x.power);
  }
  return !any_special(largest);
}

// sum * unit in the format of the result. Sums so large that they would round to 2^31 are marked in `bad`.
template <TensorResult Result>
ASSAY_AVX2 inline __m256 round_sums(__m256i sum, __m256 unit, __m256& bad) {
  // Toward zero: where the conversion rounded up, the float's bits go down by one.
  const __m256i size = _mm256_abs_epi32(sum);
  const __m256 nearest = _mm256_cvtepi32_ps(size);
  const __m256i rounded_up = _mm256_cmpgt_epi32(_mm256_cvttps_epi32(nearest), size);
  __m256i bits = _mm256_add_epi32(_mm256_castps_si256(nearest), rounded_up);
  bad = _mm256_or_ps(bad, _mm256_cmp_ps(nearest, _mm256_set1_ps(0x1p31f), _CMP_GE_OQ));
  if (Result == TensorResult::f16) {
    // To odd instead: the last digit says whether anything was cut, and the next rounding takes it into account.
    const __m256i whole = _mm256_cmpeq_epi32(_mm256_cvttps_epi32(_mm256_castsi256_ps(bits)), size);
    bits = _mm256_or_si256(bits, _mm256_andnot_si256(whole, _mm256_set1_epi32(1)));
  }
  if (Result == TensorResult::f32_short) bits = _mm256_and_si256(bits, _mm256_set1_epi32(~0x3ff));
  const __m256 size_of_value = _mm256_mul_ps(_mm256_castsi256_ps(bits), unit);
  const __m256 sign = _mm256_castsi256_ps(_mm256_and_si256(sum, _mm256_set1_epi32(static_cast<int>(0x80000000u))));
  const __m256 value = _mm256_or_ps(size_of_value, sign);
  if (Result != TensorResult::f16) return value;
  const __m256 half = _mm256_cvtph_ps(_mm256_cvtps_ph(value, _MM_FROUND_TO_NEAREST_INT));
  return _mm256_and_ps(half, _mm256_cmp_ps(half, _mm256_setzero_ps(), _CMP_NEQ_UQ));  // no negative zero
}

// One step of `Count` products from `first` for eight columns; `bad` collects what the plain version must decide.
template <int Count, TensorResult Result>
ASSAY_AVX2 inline __m256 step(const Call& call, const DecodedOperands& decoded, int first, __m256 addend, __m256& bad) {
  __m256 lead = _mm256_and_ps(addend, _mm256_castsi256_ps(_mm256_set1_epi32(0x7f800000)));
  if (Result == TensorResult::f16) {
    const __m256 nonzero = _mm256_cmp_ps(addend, _mm256_setzero_ps(), _CMP_NEQ_UQ);
    lead = _mm256_and_ps(_mm256_max_ps(lead, call.lowest_power_c), nonzero);
  }
  __m256 product[Count], leads[2] = {lead, lead};
#pragma GCC unroll 32
  for (int i = 0; i < Count; ++i) {
    const int k = first + i;
    product[i] = _mm256_mul_ps(_mm256_broadcast_ss(decoded.row_value + k), decoded.column_value[k]);
    leads[i % 2] =
        _mm256_max_ps(leads[i % 2], _mm256_mul_ps(_mm256_broadcast_ss(decoded.row_power + k), decoded.column_power[k]));
  }
  lead = _mm256_max_ps(leads[0], leads[1]);
  const __m256 low = _mm256_cmp_ps(lead, _mm256_set1_ps(kLowLead), _CMP_LT_OQ);
  const __m256 high = _mm256_cmp_ps(lead, _mm256_set1_ps(kHighLead), _CMP_GT_OQ);
  // All zero is no reason to stop.
  const __m256 nothing = _mm256_cmp_ps(_mm256_or_ps(lead, addend), _mm256_setzero_ps(), _CMP_EQ_OQ);
  bad = _mm256_or_ps(bad, _mm256_or_ps(high, call.can_vanish ? low : _mm256_andnot_ps(nothing, low)));

  const __m256 used = _mm256_max_ps(lead, _mm256_set1_ps(kLowLead));
  const __m256 scale = _mm256_castsi256_ps(_mm256_sub_epi32(call.scale_base, _mm256_castps_si256(used)));
  __m256i sum[2] = {_mm256_cvttps_epi32(_mm256_mul_ps(addend, scale)), _mm256_setzero_si256()};
#pragma GCC unroll 32
  for (int i = 0; i < Count; ++i)
    sum[i % 2] = _mm256_add_epi32(sum[i % 2], _mm256_cvttps_epi32(_mm256_mul_ps(product[i], scale)));
  const __m256i total = _mm256_add_epi32(sum[0], sum[1]);
  if (Count > 8) {
    // Sixteen of the largest products can pass 2^31: then the parts have one sign and the total has the other.
    const __m256i turned = _mm256_and_si256(_mm256_xor_si256(total, sum[0]), _mm256_xor_si256(total, sum[1]));
    bad = _mm256_or_ps(bad, _mm256_castsi256_ps(turned));
  }
  return round_sums<Result>(total, _mm256_mul_ps(used, call.last_place), bad);
}

// A row of eight results, or false where the plain version must decide.
template <int Count, TensorResult Result>
ASSAY_AVX2 inline bool multiply_row(const Call& call, const MatrixProduct& p, int row, int column,
                                    DecodedOperands& decoded) {
  if (!load_row(call, p, row, decoded)) return false;
  const size_t place = static_cast<size_t>(row) * p.n + column;
  __m256 sum = _mm256_loadu_ps(p.c + place);
  __m256 bad = _mm256_setzero_ps();
  for (int k = 0; k < p.k; k += Count) sum = step<Count, Result>(call, decoded, k, sum, bad);
  if (_mm256_movemask_ps(bad) != 0) return false;
  _mm256_storeu_ps(p.d + place, sum);
  return true;
}

template <int Count, TensorResult Result>
ASSAY_AVX2 void multiply_rows(const DotUnit& unit, const MatrixProduct& p) {
  const Call call = call_of(unit);
  DecodedOperands decoded;
  for (int column = 0; column < p.n; column += kColumns) {
    const bool plain_columns = load_columns(call, p, column, decoded);
    for (int row = 0; row < p.m; ++row) {
      if (plain_columns && multiply_row<Count, Result>(call, p, row, column, decoded)) continue;
      for (int j = column; j < column + kColumns; ++j)
        p.d[static_cast<size_t>(row) * p.n + j] = dot_plainly(unit, p, row, j);
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

bool avx2_can_multiply(const DotUnit& unit, const MatrixProduct& p) {
  const int count = unit.k_per_step;
  const bool has_version = count == 4 || count == 8 || count == 16 || count == 32;
  const bool fits = unit.fraction_bits <= 20 || (unit.fraction_bits <= 25 && count <= 16);
  return has_version && fits && p.n % kColumns == 0 && p.k % count == 0 && p.k <= kMaxDepth;
}

void multiply_rows_avx2(const DotUnit& unit, const MatrixProduct& p) {
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
