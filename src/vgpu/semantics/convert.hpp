// SPDX-License-Identifier: MIT
// cvt between the integer types, f16, bf16, f32 and f64, with every rounding, .ftz and .sat.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "vgpu/semantics/float_bits.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu::semantics {

// --- integer to integer ---------------------------------------------------------------------------------------------

// cvt.sat: clamped to the range of To. Without .sat, static_cast chops or extends as the instruction does.
template <class To, class From>
constexpr To saturate_integer(From x) {
  constexpr To kLow = std::numeric_limits<To>::min(), kHigh = std::numeric_limits<To>::max();
  if constexpr (std::is_signed_v<From> && !std::is_signed_v<To>) {
    if constexpr (sizeof(From) <= sizeof(To)) return static_cast<To>(x < 0 ? From{0} : x);
    return x < 0 ? To{0} : x > static_cast<From>(kHigh) ? kHigh : static_cast<To>(x);
  } else if constexpr (!std::is_signed_v<From> && std::is_signed_v<To>) {
    if constexpr (sizeof(From) < sizeof(To)) return static_cast<To>(x);
    return x > static_cast<From>(kHigh) ? kHigh : static_cast<To>(x);
  } else if constexpr (sizeof(From) <= sizeof(To)) {
    return static_cast<To>(x);
  } else {
    return x > static_cast<From>(kHigh) ? kHigh : x < static_cast<From>(kLow) ? kLow : static_cast<To>(x);
  }
}

// --- rounding to an integral value ----------------------------------------------------------------------------------

// For |y| < 2^51: no branches, no library call. The sign of a zero is lost.
template <Rounding R>
constexpr double round_small(double y) {
  constexpr double kMagic = 0x1.8p52;
  const double nearest = (y + kMagic) - kMagic;
  if constexpr (R == Rounding::rm) return nearest > y ? nearest - 1.0 : nearest;
  if constexpr (R == Rounding::rp) return nearest < y ? nearest + 1.0 : nearest;
  if constexpr (R == Rounding::rz) {
    const double size = magnitude_of(y), near_size = magnitude_of(nearest);
    return with_sign_of(near_size > size ? near_size - 1.0 : near_size, y);
  }
  return nearest;
}

// Numbers of 2^51 and more pass unchanged, which suits every float: those have no fraction from 2^24 on.
template <Rounding R>
constexpr double round_integral(double x) {
  const bool small = magnitude_of(x) < 0x1p51;
  const double rounded = round_small<R>(small ? x : 0.0);
  return small ? with_sign_of(rounded, x) : x;
}

// Between 2^51 and 2^52 a double has one bit of fraction, which the function above leaves alone.
template <Rounding R>
inline double round_integral_wide(double x) {
  if constexpr (R == Rounding::rn) return std::nearbyint(x);
  if constexpr (R == Rounding::rm) return std::floor(x);
  if constexpr (R == Rounding::rp) return std::ceil(x);
  return std::trunc(x);
}

// --- float to integer -----------------------------------------------------------------------------------------------

// Out of range saturates. NaN is 0 unless the source is f64 or the destination has 64 bits: then only the top bit is
// set.
template <class To, Rounding R, bool FromF64>
constexpr To nan_as_integer() {
  using Unsigned = std::make_unsigned_t<To>;
  if constexpr (!FromF64 && sizeof(To) < 8) return To{0};
  return static_cast<To>(static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(To) - 1)));
}

template <class To, Rounding R, bool FromF64>
constexpr To double_to_small_integer(double x) {
  constexpr auto kLow = static_cast<double>(std::numeric_limits<To>::min());
  constexpr auto kHigh = static_cast<double>(std::numeric_limits<To>::max());
  const double at_least = x > kLow - 1.0 ? x : kLow - 1.0;  // NaN goes to the low end
  const double within = at_least < kHigh + 1.0 ? at_least : kHigh + 1.0;
  const double rounded = round_small<R>(within);
  const double low = rounded > kLow ? rounded : kLow;
  const double clamped = low < kHigh ? low : kHigh;
  To result{};
  if constexpr (std::is_same_v<To, uint32_t>) {
    // Through the signed range, which every x86-64 can convert in vectors.
    result = static_cast<uint32_t>(static_cast<int32_t>(clamped - 0x1p31)) ^ 0x80000000u;
  } else {
    result = static_cast<To>(static_cast<int32_t>(clamped));
  }
  return is_nan(x) ? nan_as_integer<To, R, FromF64>() : result;
}

template <class To, Rounding R, bool FromF64>
inline To double_to_wide_integer(double x) {
  if (is_nan(x)) return nan_as_integer<To, R, FromF64>();
  const double rounded = round_integral_wide<R>(x);
  constexpr double kEnd = std::is_signed_v<To> ? 0x1p63 : 0x1p64;
  constexpr double kStart = std::is_signed_v<To> ? -0x1p63 : 0.0;
  if (rounded >= kEnd) return std::numeric_limits<To>::max();
  if (rounded <= kStart) return std::numeric_limits<To>::min();
  return static_cast<To>(rounded);
}

// From is f16, bf16, float or double.
template <class To, Rounding R, bool Ftz = false, class From>
inline To float_to_integer(From x) {
  double wide = 0.0;
  if constexpr (std::is_same_v<From, double>) {
    wide = x;
  } else if constexpr (std::is_same_v<From, float>) {
    wide = flush<Ftz>(x);
  } else {
    wide = to_float(x);
  }
  constexpr bool kFromF64 = std::is_same_v<From, double>;
  if constexpr (sizeof(To) == 8) {
    return double_to_wide_integer<To, R, kFromF64>(wide);
  } else {
    return double_to_small_integer<To, R, kFromF64>(wide);
  }
}

// --- integer to float -----------------------------------------------------------------------------------------------

// A 64-bit integer as a double, rounded to odd.
template <class From>
constexpr double integer_to_odd_double(From x) {
  if constexpr (sizeof(From) < 8) return static_cast<double>(x);
  const bool negative = x < From{0};
  const uint64_t size = negative ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
  const bool wide = (size >> 53) != 0;
  const uint64_t kept = wide ? (size >> 11) | uint64_t{(size & 0x7ff) != 0} : size;
  const double result = static_cast<double>(static_cast<int64_t>(kept)) * (wide ? 2048.0 : 1.0);
  return negative ? -result : result;
}

// To is f16, bf16, float or double. .sat clamps to [0, 1].
template <class To, Rounding R, bool Sat = false, class From>
constexpr To integer_to_float(From x) {
  if constexpr (std::is_same_v<To, float>) {
    if constexpr (R == Rounding::rn) return saturate<Sat>(static_cast<float>(x));
    return saturate<Sat>(narrow<R>(integer_to_odd_double(x)));
  } else if constexpr (std::is_same_v<To, double>) {
    const auto nearest = static_cast<double>(x);
    double result = nearest;
    if constexpr (sizeof(From) == 8 && R != Rounding::rn) {
      __extension__ using Signed = __int128;
      const auto back = static_cast<Signed>(nearest), exactly = static_cast<Signed>(x);
      result = settle<R>(nearest, back > exactly, back < exactly);
    }
    if constexpr (Sat) result = result > 0.0 ? result < 1.0 ? result : 1.0 : 0.0;
    return result;
  } else {
    return saturate_half<Sat>(to_half<To, R>(integer_to_odd_double(x)));
  }
}

// --- float to float -------------------------------------------------------------------------------------------------

// cvt.f64.f32, cvt.f32.f16 and the like: exact. What becomes of a NaN is not in the ISA; measured: conversions to f64
// keep sign and payload and make it quiet, but .ftz, which is an f32 instruction of its own before the conversion,
// makes it canonical first. To f32, a NaN of f16 becomes canonical; a bf16 is only shifted, even if it is a signalling
// NaN.
template <class To, bool Ftz = false, bool Sat = false, class From>
constexpr To widen(From x) {
  if constexpr (std::is_same_v<From, float>) {
    const auto wide = static_cast<double>(Ftz ? canonical(flush<Ftz>(x)) : x);
    const double result = quiet(wide);
    if constexpr (Sat) return result > 0.0 ? result < 1.0 ? result : 1.0 : 0.0;
    return result;
  } else {
    const float wide = flush<Ftz>(to_float(x));
    if constexpr (std::is_same_v<To, double>) return widen<double, false, Sat>(wide);
    if constexpr (std::is_same_v<From, bf16> && !Ftz) return saturate<Sat>(wide);
    return saturate<Sat>(canonical(wide));
  }
}

// cvt.{rn,rz,rm,rp} to a narrower float. A NaN of f64 keeps its sign and what fits of its payload, measured; others
// become canonical.
template <class To, Rounding R, bool Ftz = false, bool Sat = false, bool Relu = false, class From>
constexpr To narrow_to(From x) {
  if constexpr (std::is_same_v<To, float>) {
    return saturate<Sat>(narrow_and_flush<R, Ftz>(x));
  } else if constexpr (std::is_same_v<From, float>) {
    // To f16 an H200 does not flush subnormal inputs, whatever .ftz says: cvt.rp.ftz.f16.f32 of 2^-149 is 2^-24. To
    // bf16 it does.
    return saturate_half<Sat>(rectify<Relu>(to_half<To, R>(std::is_same_v<To, bf16> ? flush<Ftz>(x) : x)));
  } else {
    const To rounded = to_half<To, R>(x);
    if constexpr (std::is_same_v<From, double>)
      return saturate_half<Sat>(rectify<Relu>(To{is_nan(x) ? nan_to_half<To>(x).bits : rounded.bits}));
    return saturate_half<Sat>(rectify<Relu>(rounded));
  }
}

// cvt.{rni,rzi,rmi,rpi} of a float to the same type.
template <Rounding R, bool Ftz = false, bool Sat = false>
constexpr float round_float(float x) {
  return finish<Ftz, Sat>(static_cast<float>(round_integral<R>(static_cast<double>(flush<Ftz>(x)))));
}
template <Rounding R, bool Sat = false>
inline double round_float(double x) {
  const double result = quiet(round_integral_wide<R>(x));
  if constexpr (Sat) return result > 0.0 ? result < 1.0 ? result : 1.0 : 0.0;
  return result;
}
template <Rounding R, bool Sat = false, class T>
  requires kIsHalf<T>
constexpr T round_float(T x) {
  const auto rounded = static_cast<float>(round_integral<R>(static_cast<double>(to_float(x))));
  return saturate_half<Sat>(to_half<T, Rounding::rn>(rounded));
}

// cvt{.ftz}{.sat} of a float to its own type without rounding.
template <bool Ftz, bool Sat>
constexpr float pass_float(float x) {
  return finish<Ftz, Sat>(flush<Ftz>(x));
}

}  // namespace assay::vgpu::semantics
