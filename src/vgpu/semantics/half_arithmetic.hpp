// SPDX-License-Identifier: MIT
// Arithmetic of f16 and bf16 and of two of them in a 32-bit register. Each result is rounded once, to nearest.
#pragma once

#include "vgpu/semantics/float_arithmetic.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu::semantics {

// T is f16 or bf16 throughout.

template <bool Ftz, bool Sat, bool Relu, class T>
constexpr T finish_half(T x) {
  return saturate_half<Sat>(rectify<Relu>(flush<Ftz>(x)));
}

// The rounded result of an exact or to-odd value, flushed by what it was before (see is_tiny). Only f16 has .ftz.
template <class T, bool Ftz, class Float>
constexpr T round_and_flush(Float x) {
  const T rounded = to_half<T, Rounding::rn>(x);
  if constexpr (!Ftz || !std::is_same_v<T, f16>) return rounded;
  const float size = float_of(bits_of(static_cast<float>(x)) & 0x7fffffffu);
  constexpr float kBound = 0x1p-14f * (1.0f - 0x1p-12f);
  return T{static_cast<uint16_t>(size < kBound ? rounded.bits & 0x8000u : rounded.bits)};
}

// Sums in float may be rounded again: float has more than twice the digits and two (Figueroa).
template <class T, bool Ftz = false, bool Sat = false>
constexpr T half_add(T a, T b) {
  const float sum = to_float(flush<Ftz>(a)) + to_float(flush<Ftz>(b));
  return finish_half<Ftz, Sat, false>(to_half<T, Rounding::rn>(sum));
}

template <class T, bool Ftz = false, bool Sat = false>
constexpr T half_sub(T a, T b) {
  const float difference = to_float(flush<Ftz>(a)) - to_float(flush<Ftz>(b));
  return finish_half<Ftz, Sat, false>(to_half<T, Rounding::rn>(difference));
}

// Products of f16 are exact in float. Those of bf16 can fall below float's normal range, so they take double.
template <class T, bool Ftz = false, bool Sat = false>
constexpr T half_mul(T a, T b) {
  const float x = to_float(flush<Ftz>(a)), y = to_float(flush<Ftz>(b));
  if constexpr (std::is_same_v<T, f16>) return finish_half<Ftz, Sat, false>(round_and_flush<T, Ftz>(x * y));
  return finish_half<Ftz, Sat, false>(to_half<T, Rounding::rn>(static_cast<double>(x) * static_cast<double>(y)));
}

// The product is exact, the sum is rounded to odd, and only the last step rounds to nearest.
template <class T, bool Ftz = false, bool Sat = false, bool Relu = false>
constexpr T half_fma(T a, T b, T c) {
  const float x = to_float(flush<Ftz>(a)), y = to_float(flush<Ftz>(b)), z = to_float(flush<Ftz>(c));
  if constexpr (std::is_same_v<T, f16>) {
    const float product = x * y;
    const float sum = product + z;
    const float odd = to_odd(sum, sum_error(product, z, sum));
    return finish_half<Ftz, Sat, Relu>(round_and_flush<T, Ftz>(odd));
  } else {
    const double product = static_cast<double>(x) * static_cast<double>(y);
    const auto addend = static_cast<double>(z);
    const double sum = product + addend;
    const double odd = to_odd(sum, sum_error(product, addend, sum));
    return finish_half<Ftz, Sat, Relu>(to_half<T, Rounding::rn>(odd));
  }
}

// An order of the bits in which -0 < +0.
template <class T>
constexpr int32_t half_order(T x) {
  const auto bits = static_cast<int32_t>(static_cast<int16_t>(x.bits));
  return bits < 0 ? bits ^ 0x7fff : bits;
}

template <bool Nan, class T>
constexpr T half_unless_nan(T a, T b, T chosen) {
  if constexpr (Nan) return T{is_nan(a) || is_nan(b) ? T::kNan : chosen.bits};
  return canonical_half(T{is_nan(a) ? b.bits : is_nan(b) ? a.bits : chosen.bits});
}

template <class T, bool Ftz = false, bool Nan = false>
constexpr T half_min(T a, T b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  return half_unless_nan<Nan>(a, b, T{half_order(a) < half_order(b) ? a.bits : b.bits});
}
template <class T, bool Ftz = false, bool Nan = false>
constexpr T half_max(T a, T b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  return half_unless_nan<Nan>(a, b, T{half_order(a) > half_order(b) ? a.bits : b.bits});
}

// A NaN becomes canonical here too, and loses its sign: measured, where the ISA says that it is passed on.
template <class T, bool Ftz = false>
constexpr T half_abs(T a) {
  return canonical_half(T{static_cast<uint16_t>(flush<Ftz>(a).bits & 0x7fffu)});
}
template <class T, bool Ftz = false>
constexpr T half_neg(T a) {
  return canonical_half(T{static_cast<uint16_t>(flush<Ftz>(a).bits ^ 0x8000u)});
}

// .xorsign.abs: the smaller (larger) magnitude with the product's sign.
template <class T, bool Ftz = false, bool Nan = false>
constexpr T half_min_xorsign_abs(T a, T b) {
  const T chosen = half_min<T, Ftz, Nan>(half_abs(a), half_abs(b));
  return is_nan(chosen) ? chosen : T{static_cast<uint16_t>(chosen.bits | ((a.bits ^ b.bits) & 0x8000u))};
}
template <class T, bool Ftz = false, bool Nan = false>
constexpr T half_max_xorsign_abs(T a, T b) {
  const T chosen = half_max<T, Ftz, Nan>(half_abs(a), half_abs(b));
  return is_nan(chosen) ? chosen : T{static_cast<uint16_t>(chosen.bits | ((a.bits ^ b.bits) & 0x8000u))};
}

// The x2 forms: a function of T on both halves, e.g. packed<f16>([](f16 x, f16 y) { return half_add(x, y); }, a, b).
template <class T, class Function>
constexpr uint32_t packed(Function function, uint32_t a) {
  return pack<T>(function(lower<T>(a)), function(upper<T>(a)));
}
template <class T, class Function>
constexpr uint32_t packed(Function function, uint32_t a, uint32_t b) {
  return pack<T>(function(lower<T>(a), lower<T>(b)), function(upper<T>(a), upper<T>(b)));
}
template <class T, class Function>
constexpr uint32_t packed(Function function, uint32_t a, uint32_t b, uint32_t c) {
  return pack<T>(function(lower<T>(a), lower<T>(b), lower<T>(c)), function(upper<T>(a), upper<T>(b), upper<T>(c)));
}

}  // namespace assay::vgpu::semantics
