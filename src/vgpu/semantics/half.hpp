// SPDX-License-Identifier: MIT
// The 16-bit floats: storage, and conversions to and from float and double that round once. Free of branches.
#pragma once

#include <cstdint>

#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu::semantics {

struct f16 {
  uint16_t bits = 0;
  static constexpr uint16_t kNan = 0x7fff, kInfinity = 0x7c00;
  bool operator==(const f16&) const = default;
};

struct bf16 {
  uint16_t bits = 0;
  static constexpr uint16_t kNan = 0x7fff, kInfinity = 0x7f80;
  bool operator==(const bf16&) const = default;
};

template <class T>
inline constexpr bool kIsHalf = false;
template <>
inline constexpr bool kIsHalf<f16> = true;
template <>
inline constexpr bool kIsHalf<bf16> = true;

// --- widening, exact ------------------------------------------------------------------------------------------------

// A NaN stays a NaN; instructions make it canonical afterwards.
constexpr float to_float(f16 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x8000u) << 16;
  const uint32_t magnitude = x.bits & 0x7fffu;
  const uint32_t normal = (magnitude << 13) + (112u << 23);
  const uint32_t top = (magnitude << 13) | 0x7f800000u;
  const uint32_t subnormal = bits_of(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-24f);
  const uint32_t finite = magnitude < 0x0400u ? subnormal : normal;
  return float_of(sign | (magnitude >= 0x7c00u ? top : finite));
}
constexpr float to_float(bf16 x) {
  return float_of(static_cast<uint32_t>(x.bits) << 16);
}

constexpr bool is_nan(f16 x) {
  return (x.bits & 0x7fffu) > 0x7c00u;
}
constexpr bool is_nan(bf16 x) {
  return (x.bits & 0x7fffu) > 0x7f80u;
}

// .ftz of an f16 operand or result.
template <bool Ftz>
constexpr f16 flush(f16 x) {
  if constexpr (!Ftz) return x;
  return f16{static_cast<uint16_t>((x.bits & 0x7c00u) == 0 ? x.bits & 0x8000u : x.bits)};
}
template <bool Ftz>
constexpr bf16 flush(bf16 x) {
  if constexpr (!Ftz) return x;
  return bf16{static_cast<uint16_t>((x.bits & 0x7f80u) == 0 ? x.bits & 0x8000u : x.bits)};
}

// --- narrowing ------------------------------------------------------------------------------------------------------

template <Rounding R>
constexpr f16 to_f16(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t result = 0;
  if constexpr (R == Rounding::rn) {
    // Adding 0.5 leaves a subnormal half in the last bits of the sum, rounded by the addition itself.
    const uint32_t subnormal = bits_of(float_of(magnitude < 0x38800000u ? magnitude : 0u) + 0.5f) - 0x3f000000u;
    const uint32_t normal = ((magnitude + 0xfffu + ((magnitude >> 13) & 1u)) >> 13) - (112u << 10);
    result = magnitude < 0x38800000u ? subnormal : normal;
    result = magnitude >= 0x47800000u ? uint32_t{f16::kInfinity} : result;
  } else {
    const uint32_t exponent = magnitude >> 23;
    const uint32_t significand = (magnitude & 0x7fffffu) | (exponent != 0 ? 0x800000u : 0u);
    const uint32_t below = 113u > exponent ? 113u - exponent : 0u;  // how far under the normal range of f16
    const uint32_t shift = 13u + (below < 18u ? below : 18u);
    const uint32_t kept = significand >> shift;  // with the implicit bit, which carries into the exponent field
    const bool inexact = (significand & ((1u << shift) - 1u)) != 0;
    const uint32_t field = below == 0 ? (exponent - 113u) << 10 : 0u;
    const bool up = inexact && rounds_away<R>(sign != 0);
    result = field + kept + (up ? 1u : 0u);
    const uint32_t overflow = magnitude == 0x7f800000u || rounds_away<R>(sign != 0) ? 0x7c00u : 0x7bffu;
    result = magnitude >= 0x47800000u ? overflow : result;
  }
  result = magnitude > 0x7f800000u ? uint32_t{f16::kNan} : sign | result;
  return f16{static_cast<uint16_t>(result)};
}

template <Rounding R>
constexpr bf16 to_bf16(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t result = bits >> 16;
  if constexpr (R == Rounding::rn) {
    result = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  } else {
    const bool inexact = (bits & 0xffffu) != 0;
    result += inexact && rounds_away<R>((bits >> 31) != 0) ? 1u : 0u;
  }
  result = magnitude > 0x7f800000u ? uint32_t{bf16::kNan} : result;
  return bf16{static_cast<uint16_t>(result)};
}

template <Rounding R>
constexpr f16 to_f16(double x) {
  return to_f16<R>(narrow_to_odd(x));
}
template <Rounding R>
constexpr bf16 to_bf16(double x) {
  return to_bf16<R>(narrow_to_odd(x));
}

// What cvt makes of an f64 NaN: sign and payload stay as far as they fit. (Of an f32 NaN it makes 0x7fff.)
template <class T>
constexpr T nan_to_half(double x) {
  constexpr int kDigits = std::is_same_v<T, f16> ? 10 : 7;
  const uint64_t bits = bits_of(quiet(x));
  const auto fraction = static_cast<uint32_t>((bits & 0xfffffffffffffu) >> (52 - kDigits));
  return T{static_cast<uint16_t>(static_cast<uint32_t>(bits >> 63) << 15 | uint32_t{T::kInfinity} | fraction)};
}

// The same by type: to_half<f16, Rounding::rn>(x).
template <class T, Rounding R, class Float>
constexpr T to_half(Float x) {
  if constexpr (std::is_same_v<T, f16>) {
    return to_f16<R>(x);
  } else {
    return to_bf16<R>(x);
  }
}

// --- what may follow an operation -----------------------------------------------------------------------------------

template <class T>
constexpr T canonical_half(T x) {
  return T{is_nan(x) ? T::kNan : x.bits};
}

// .relu: negative numbers become +0, NaN stays.
template <bool Relu, class T>
constexpr T rectify(T x) {
  if constexpr (!Relu) return x;
  return T{static_cast<uint16_t>((x.bits & 0x8000u) != 0 && !is_nan(x) ? 0u : x.bits)};
}

template <class T>
inline constexpr uint16_t kHalfOne = std::is_same_v<T, f16> ? 0x3c00 : 0x3f80;

// .sat: [0, 1], NaN becomes +0.
template <bool Sat, class T>
constexpr T saturate_half(T x) {
  if constexpr (!Sat) return x;
  const bool zero = (x.bits & 0x8000u) != 0 || is_nan(x);
  const uint16_t low = zero ? uint16_t{0} : x.bits;
  return T{low < kHalfOne<T> ? low : kHalfOne<T>};
}

// --- two in a register ----------------------------------------------------------------------------------------------

template <class T>
constexpr T lower(uint32_t pair) {
  return T{static_cast<uint16_t>(pair & 0xffffu)};
}
template <class T>
constexpr T upper(uint32_t pair) {
  return T{static_cast<uint16_t>(pair >> 16)};
}
template <class T>
constexpr uint32_t pack(T low, T high) {
  return static_cast<uint32_t>(low.bits) | static_cast<uint32_t>(high.bits) << 16;
}

}  // namespace assay::vgpu::semantics
