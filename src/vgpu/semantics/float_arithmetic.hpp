// SPDX-License-Identifier: MIT
// add, sub, mul, fma, div, rcp, sqrt, min, max, abs, neg and copysign of f32 and f64, every rounding exact. Directed
// rounding never touches the host's rounding mode: f32 is computed in double and rounded once, f64 by integers.
#pragma once

#include <cmath>

#include "vgpu/semantics/exact_double.hpp"
#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu::semantics {

// --- f32 ------------------------------------------------------------------------------------------------------------

// The sum of two doubles rounded once to float in direction R, with the sign that IEEE 754 gives an exact zero.
template <Rounding R, bool Ftz>
constexpr float add_and_narrow(double a, double b) {
  const double sum = a + b;
  const float rounded = narrow_and_flush<R, Ftz>(to_odd(sum, sum_error(a, b, sum)));
  if constexpr (R != Rounding::rm) return rounded;
  const bool a_negative = is_negative(a), b_negative = is_negative(b);
  const bool negative_zero = (sum == 0.0) & (a_negative | b_negative);
  return negative_zero ? -0.0f : rounded;
}

template <Rounding R, bool Ftz, bool Sat>
constexpr float add(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  if constexpr (R == Rounding::rn) return finish<Ftz, Sat>(a + b);
  return finish<Ftz, Sat>(add_and_narrow<R, Ftz>(a, b));
}

template <Rounding R, bool Ftz, bool Sat>
constexpr float sub(float a, float b) {
  return add<R, Ftz, Sat>(a, float_of(bits_of(b) ^ 0x80000000u));
}

template <Rounding R, bool Ftz, bool Sat>
constexpr float mul(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  if constexpr (R != Rounding::rn)
    return finish<Ftz, Sat>(narrow_and_flush<R, Ftz>(static_cast<double>(a) * static_cast<double>(b)));
  const float product = a * b;
  // The scaled product overflows only where the other is far from tiny, as b is not subnormal here.
  return finish<Ftz, Sat>(Ftz ? flush_by_scaled(product, a * 0x1p24f * b) : product);
}

template <Rounding R, bool Ftz, bool Sat>
inline float fma(float a, float b, float c) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  c = flush<Ftz>(c);
  if constexpr (R != Rounding::rn)
    return finish<Ftz, Sat>(add_and_narrow<R, Ftz>(static_cast<double>(a) * static_cast<double>(b), c));
  const float sum = __builtin_fmaf(a, b, c);
  if constexpr (!Ftz) return finish<Ftz, Sat>(sum);
  // Where a scaled operand overflows, the digits of a * b and c lie too high for any sum but zero to be tiny.
  return finish<Ftz, Sat>(flush_by_scaled(sum, __builtin_fmaf(a * 0x1p24f, b, c * 0x1p24f)));
}

// A quotient of flushed operands, itself flushed by its exact value.
template <Rounding R, bool Ftz>
constexpr float flush_quotient(float a, float b, float quotient) {
  if constexpr (!Ftz) return quotient;
  const double dividend = magnitude_of(static_cast<double>(a)), divisor = magnitude_of(static_cast<double>(b));
  // Both conditions as numbers: with a branch between them, loops over the lanes would not be vectorised.
  const int tiny = static_cast<int>(is_tiny<R, 24, -126>(dividend, is_negative(quotient), divisor)) &
                   static_cast<int>(!is_nan(quotient));
  return tiny != 0 ? with_sign_of(0.0f, quotient) : quotient;
}

template <Rounding R, bool Ftz>
constexpr float div(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  const float nearest = a / b;
  // nearest * b is exact in double, so comparing it with a says on which side of a / b the rounding fell.
  const double back = static_cast<double>(nearest) * static_cast<double>(b);
  const bool more = back > static_cast<double>(a), less = back < static_cast<double>(a);
  const bool negative = is_negative(b);
  const bool above = (negative & less) | (!negative & more), below = (negative & more) | (!negative & less);
  return finish<Ftz, false>(flush_quotient<R, Ftz>(a, b, settle<R>(nearest, above, below)));
}

template <Rounding R, bool Ftz>
constexpr float rcp(float a) {
  return div<R, Ftz>(1.0f, a);
}

template <Rounding R, bool Ftz>
inline float sqrt(float a) {
  a = flush<Ftz>(a);
  const float nearest = __builtin_sqrtf(a);
  const double back = static_cast<double>(nearest) * static_cast<double>(nearest);
  return finish<Ftz, false>(settle<R>(nearest, back > static_cast<double>(a), back < static_cast<double>(a)));
}

// --- f64 ------------------------------------------------------------------------------------------------------------

// Which of several NaN operands comes out, measured: the second of add, sub and mul; of fma the second, else the third,
// else the first; of div the first. (The ISA leaves it open, x86 takes the first, and compilers swap operands.)
// By masks: of a choice, the compiler makes a branch around the arithmetic whose result is `otherwise`.
constexpr double second_nan(double a, double b, double otherwise) {
  constexpr uint64_t kQuiet = 0x0008000000000000u;
  const uint64_t if_a = uint64_t{0} - uint64_t{is_nan(a)}, if_b = uint64_t{0} - uint64_t{is_nan(b)};
  const uint64_t either = (bits_of(otherwise) & ~if_a) | ((bits_of(a) | kQuiet) & if_a);
  return double_of((either & ~if_b) | ((bits_of(b) | kQuiet) & if_b));
}

template <Rounding R>
inline double add(double a, double b) {
  const double sum = second_nan(a, b, a + b);
  if constexpr (R == Rounding::rn) return sum;
  if (!std::isfinite(a) || !std::isfinite(b)) return sum;
  return fma_exact<R>(a, 1.0, b);
}

template <Rounding R>
inline double sub(double a, double b) {
  const double difference = second_nan(a, b, a - b);
  if constexpr (R == Rounding::rn) return difference;
  if (!std::isfinite(a) || !std::isfinite(b)) return difference;
  return fma_exact<R>(a, 1.0, -b);
}

template <Rounding R>
inline double mul(double a, double b) {
  const double product = second_nan(a, b, a * b);
  if constexpr (R == Rounding::rn) return product;
  if (!std::isfinite(a) || !std::isfinite(b)) return product;
  return multiply_exact<R>(a, b);
}

template <Rounding R>
inline double fma(double a, double b, double c) {
  const double of_two = second_nan(a, c, __builtin_fma(a, b, c));
  const double sum = is_nan(b) ? quiet(b) : of_two;
  if constexpr (R == Rounding::rn) return sum;
  if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) return sum;
  return fma_exact<R>(a, b, c);
}

template <Rounding R>
inline double div(double a, double b) {
  const double quotient = second_nan(b, a, a / b);
  if constexpr (R == Rounding::rn) return quotient;
  if (!std::isfinite(a) || !std::isfinite(b) || b == 0.0) return quotient;
  return divide_exact<R>(a, b);
}

template <Rounding R>
inline double rcp(double a) {
  return div<R>(1.0, a);
}

template <Rounding R>
inline double sqrt(double a) {
  const double nearest = __builtin_sqrt(a);
  if constexpr (R == Rounding::rn) return nearest;
  // The residual of a scaled square root is exact, since the scale keeps it clear of the subnormal range.
  const double scale = a < 0x1p-900 ? 0x1p108 : 1.0, root_scale = a < 0x1p-900 ? 0x1p54 : 1.0;
  const double root = nearest * root_scale;
  const double residual = __builtin_fma(root, root, -(a * scale));
  return settle<R>(nearest, residual > 0.0, residual < 0.0);
}

// --- min, max, signs ------------------------------------------------------------------------------------------------

// An order of the bits in which -0 < +0; NaN has no place in it.
constexpr int32_t order_of(float x) {
  const auto bits = static_cast<int32_t>(bits_of(x));
  return bits ^ static_cast<int32_t>(static_cast<uint32_t>(bits >> 31) >> 1);
}
constexpr int64_t order_of(double x) {
  const auto bits = static_cast<int64_t>(bits_of(x));
  return bits ^ static_cast<int64_t>(static_cast<uint64_t>(bits >> 63) >> 1);
}

// `chosen` unless one operand is NaN: then the other, or NaN where the instruction says .NaN. Of two f64 NaNs the
// second comes out, quiet; everywhere else a NaN is canonical.
template <bool Nan, class Float>
constexpr Float unless_nan(Float a, Float b, Float chosen) {
  const Float nan = std::bit_cast<Float>(FloatTraits<Float>::kNan);
  if constexpr (Nan) return is_nan(a) || is_nan(b) ? nan : chosen;
  const Float other = is_nan(a) ? b : is_nan(b) ? a : chosen;
  if constexpr (std::is_same_v<Float, double>) return quiet(other);
  return is_nan(other) ? nan : other;
}

template <bool Ftz = false, bool Nan = false>
constexpr float min(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  return unless_nan<Nan>(a, b, order_of(a) < order_of(b) ? a : b);
}
template <bool Ftz = false, bool Nan = false>
constexpr float max(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  return unless_nan<Nan>(a, b, order_of(a) > order_of(b) ? a : b);
}
constexpr double min(double a, double b) {
  return unless_nan<false>(a, b, order_of(a) < order_of(b) ? a : b);
}
constexpr double max(double a, double b) {
  return unless_nan<false>(a, b, order_of(a) > order_of(b) ? a : b);
}

constexpr float magnitude(float a) {
  return float_of(bits_of(a) & 0x7fffffffu);
}
constexpr double magnitude(double a) {
  return magnitude_of(a);
}

// .xorsign.abs: the smaller (larger) magnitude with the product's sign. A NaN result has no sign of its own.
template <bool Ftz = false, bool Nan = false>
constexpr float min_xorsign_abs(float a, float b) {
  const float chosen = min<Ftz, Nan>(magnitude(a), magnitude(b));
  return is_nan(chosen) ? chosen : float_of(bits_of(chosen) | ((bits_of(a) ^ bits_of(b)) & 0x80000000u));
}
template <bool Ftz = false, bool Nan = false>
constexpr float max_xorsign_abs(float a, float b) {
  const float chosen = max<Ftz, Nan>(magnitude(a), magnitude(b));
  return is_nan(chosen) ? chosen : float_of(bits_of(chosen) | ((bits_of(a) ^ bits_of(b)) & 0x80000000u));
}

// The ISA lets NaNs come out of these as they will. An H200 makes those of f32 canonical and those of f64 quiet, which
// keep their sign: for NaN these are arithmetic, not changes of a bit.
template <bool Ftz = false>
constexpr float abs(float a) {
  return canonical(magnitude(flush<Ftz>(a)));
}
constexpr double abs(double a) {
  return is_nan(a) ? quiet(a) : magnitude(a);
}

template <bool Ftz = false>
constexpr float neg(float a) {
  return canonical(float_of(bits_of(flush<Ftz>(a)) ^ 0x80000000u));
}
constexpr double neg(double a) {
  return is_nan(a) ? quiet(a) : double_of(bits_of(a) ^ FloatTraits<double>::kSign);
}

// copysign d, a, b: the sign of a, the magnitude of b.
constexpr float copysign(float a, float b) {
  return with_sign_of(b, a);
}
constexpr double copysign(double a, double b) {
  return with_sign_of(b, a);
}

}  // namespace assay::vgpu::semantics
