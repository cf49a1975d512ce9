// SPDX-License-Identifier: MIT
// The bits of float and double: canonical NaNs, flushing, neighbours, and the exact last step of a directed rounding.
// Everything is free of branches, so that a loop over 32 lanes becomes vector code.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace assay::vgpu::semantics {

// The rounding modifiers of PTX. Integer rounding (.rni, .rzi, .rmi, .rpi) uses the same four directions.
enum class Rounding : uint8_t {
  rn,   // to nearest, ties to even
  rz,   // toward zero
  rm,   // toward minus infinity
  rp,   // toward plus infinity
  rna,  // to nearest, ties away from zero (cvt to tf32 only)
};

// Bits, SignMask and the smallest normal number of a floating-point type.
template <class Float>
struct FloatTraits;
template <>
struct FloatTraits<float> {
  using Bits = uint32_t;
  static constexpr Bits kSign = 0x80000000u;
  static constexpr Bits kExponent = 0x7f800000u;
  static constexpr Bits kNan = 0x7fffffffu;  // what every f32 instruction returns for NaN (ISA, floating-point section)
};
template <>
struct FloatTraits<double> {
  using Bits = uint64_t;
  static constexpr Bits kSign = 0x8000000000000000u;
  static constexpr Bits kExponent = 0x7ff0000000000000u;
  static constexpr Bits kNan = 0xfff8000000000000u;  // what f64 instructions make of an invalid operation
};

inline constexpr uint32_t kNanF32 = FloatTraits<float>::kNan;
inline constexpr uint64_t kNanF64 = FloatTraits<double>::kNan;

template <class Float>
constexpr typename FloatTraits<Float>::Bits bits_of(Float x) {
  return std::bit_cast<typename FloatTraits<Float>::Bits>(x);
}
constexpr float float_of(uint32_t bits) {
  return std::bit_cast<float>(bits);
}
constexpr double double_of(uint64_t bits) {
  return std::bit_cast<double>(bits);
}

constexpr bool is_nan(float x) {
  return x != x;
}
constexpr bool is_nan(double x) {
  return x != x;
}
constexpr bool is_infinite(float x) {
  return (bits_of(x) & 0x7fffffffu) == 0x7f800000u;
}
constexpr bool is_infinite(double x) {
  return (bits_of(x) & 0x7fffffffffffffffu) == 0x7ff0000000000000u;
}
constexpr bool is_negative(float x) {
  return (bits_of(x) >> 31) != 0;
}
constexpr bool is_negative(double x) {
  return (bits_of(x) >> 63) != 0;
}

constexpr float with_sign_of(float magnitude, float sign) {
  return float_of((bits_of(magnitude) & 0x7fffffffu) | (bits_of(sign) & 0x80000000u));
}
constexpr double with_sign_of(double magnitude, double sign) {
  constexpr uint64_t kSign = FloatTraits<double>::kSign;
  return double_of((bits_of(magnitude) & ~kSign) | (bits_of(sign) & kSign));
}

constexpr double magnitude_of(double x) {
  return double_of(bits_of(x) & ~FloatTraits<double>::kSign);
}

// .ftz: a subnormal becomes a zero of the same sign.
template <bool Ftz>
constexpr float flush(float x) {
  if constexpr (!Ftz) return x;
  const uint32_t bits = bits_of(x);
  return float_of((bits & 0x7f800000u) == 0 ? bits & 0x80000000u : bits);
}

// Every NaN that an f32 instruction returns is 0x7fffffff.
constexpr float canonical(float x) {
  return is_nan(x) ? float_of(kNanF32) : x;
}
// What f64 instructions make of a NaN operand: its sign and payload stay, and it is quiet from then on. The ISA
// promises nothing of the kind; an H200 does it in arithmetic, neg, abs, rounding and conversions alike.
constexpr double quiet(double x) {
  return is_nan(x) ? double_of(bits_of(x) | 0x0008000000000000u) : x;
}

// .sat: [0, 1], NaN becomes +0.
template <bool Sat>
constexpr float saturate(float x) {
  if constexpr (!Sat) return x;
  const float low = x > 0.0f ? x : 0.0f;
  return low < 1.0f ? low : 1.0f;
}

// The last steps of an f32 instruction.
template <bool Ftz, bool Sat>
constexpr float finish(float x) {
  return saturate<Sat>(canonical(flush<Ftz>(x)));
}

// The neighbours of a number that is not NaN, and of +0 and -0 alike.
template <class Float>
constexpr Float next_up(Float x) {
  using Bits = typename FloatTraits<Float>::Bits;
  const Bits bits = bits_of(x);
  const Bits away = static_cast<Bits>(bits + 1), toward = static_cast<Bits>(bits - 1);
  return std::bit_cast<Float>(x == Float(0) ? Bits{1} : is_negative(x) ? toward : away);
}
template <class Float>
constexpr Float next_down(Float x) {
  using Bits = typename FloatTraits<Float>::Bits;
  const Bits bits = bits_of(x);
  const Bits away = static_cast<Bits>(bits + 1), toward = static_cast<Bits>(bits - 1);
  const Bits smallest = static_cast<Bits>(FloatTraits<Float>::kSign | 1);
  return std::bit_cast<Float>(x == Float(0) ? smallest : is_negative(x) ? away : toward);
}

// `nearest` is the exact value rounded to nearest; `above` and `below` say on which side of the exact value it lies.
// Returns the exact value rounded in direction R. Holds for overflow too: an infinity that is above steps back.
template <Rounding R, class Float>
constexpr Float settle(Float nearest, bool above, bool below) {
  if constexpr (R == Rounding::rn) return nearest;
  if constexpr (R == Rounding::rm) return above ? next_down(nearest) : nearest;
  if constexpr (R == Rounding::rp) return below ? next_up(nearest) : nearest;
  // Bitwise logic: a choice between two conditions is what keeps compilers from vector code.
  const bool negative = is_negative(nearest);
  const bool step = ((negative & below) | (!negative & above)) & (nearest != Float(0));
  return step ? std::bit_cast<Float>(static_cast<typename FloatTraits<Float>::Bits>(bits_of(nearest) - 1)) : nearest;
}

// --- flushing of results
// ----------------------------------------------------------------------------------------------

// Whether a magnitude with a lost part goes to the next one, for the directions that do not depend on the lost part.
template <Rounding R>
constexpr bool rounds_away(bool negative) {
  return (R == Rounding::rm && negative) || (R == Rounding::rp && !negative);
}

// Whether .ftz flushes a result of size * (1 / unit), where 2^MinExponent is the type's smallest normal number and it
// has Digits digits. Measured on an H200, as the ISA does not say: what counts is the result rounded to that many
// digits as if exponents had no end. So (1 - 2^-24) 2^-126, which a float's last subnormal place would round to 2^-126,
// is flushed even by .rp, and (1 - 2^-46) 2^-126 is not. False for NaN. `size` may be rounded to odd; `unit` has at
// most 24 digits.
template <Rounding R, int Digits, int MinExponent>
constexpr bool is_tiny(double size, bool negative, double unit = 1.0) {
  constexpr double kSmallest = double_of(static_cast<uint64_t>(1023 + MinExponent) << 52);
  constexpr double kLast = double_of(static_cast<uint64_t>(1023 - Digits) << 52);  // 2^-Digits
  if constexpr (R == Rounding::rn) return size < kSmallest * (1.0 - kLast / 2) * unit;
  const bool away = rounds_away<R>(negative);
  const double bound = (away ? kSmallest * (1.0 - kLast) : kSmallest) * unit;
  return (size < bound) | (away & (size == bound));
}

// The nearest float to some value, given that value times 2^24 as a float: the flush of is_tiny<rn> without doubles.
constexpr float flush_by_scaled(float nearest, float scaled) {
  const bool tiny = float_of(bits_of(scaled) & 0x7fffffffu) < 0x1p-102f;
  return tiny ? with_sign_of(0.0f, nearest) : nearest;
}

// --- narrowing ------------------------------------------------------------------------------------------------------

// A double rounded to float in direction R. A NaN keeps its sign and the upper part of its payload.
template <Rounding R>
constexpr float narrow(double x) {
  const float nearest = static_cast<float>(x);
  const double back = static_cast<double>(nearest);
  return settle<R>(nearest, back > x, back < x);
}

template <Rounding R, bool Ftz>
constexpr float narrow_and_flush(double x) {
  const float rounded = narrow<R>(x);
  if constexpr (!Ftz) return rounded;
  return is_tiny<R, 24, -126>(magnitude_of(x), is_negative(x)) ? with_sign_of(0.0f, rounded) : rounded;
}

// Rounding to odd: truncate, and set the last bit if anything was lost. A result rounded to odd with two bits to spare
// can be rounded again, in any direction, as if it had been exact.
constexpr float narrow_to_odd(double x) {
  const float truncated = narrow<Rounding::rz>(x);
  const uint32_t bits = bits_of(truncated);
  const auto back = static_cast<double>(truncated);
  return back < x || back > x ? float_of(bits | 1u) : truncated;  // neither holds for NaN
}

// `sum` is the nearest to an exact sum, `error` what is missing from it (both from sum_error).
template <class Float>
constexpr Float to_odd(Float sum, Float error) {
  using Bits = typename FloatTraits<Float>::Bits;
  constexpr int kTop = 8 * sizeof(Float) - 1;
  const Bits bits = bits_of(sum), error_bits = bits_of(error);
  const Bits size = static_cast<Bits>(error_bits & ~FloatTraits<Float>::kSign);
  // Neither zero nor NaN: an infinite sum has a NaN for its error.
  const bool inexact = static_cast<Bits>(size - 1) < FloatTraits<Float>::kExponent;
  const Bits differ = static_cast<Bits>((bits ^ error_bits) >> kTop);
  const Bits step = static_cast<Bits>((Bits{0} - differ) | 1u);  // away from zero where the signs agree, else toward it
  const Bits if_even = static_cast<Bits>(step & (static_cast<Bits>(bits & 1u) - Bits{1}));
  return std::bit_cast<Float>(static_cast<Bits>(bits + (inexact ? if_even : Bits{0})));
}

// What rounding took from a + b: exact for finite sums (Knuth).
template <class Float>
constexpr Float sum_error(Float a, Float b, Float sum) {
  const Float b_part = sum - a;
  const Float a_part = sum - b_part;
  return (a - a_part) + (b - b_part);
}

}  // namespace assay::vgpu::semantics
