// SPDX-License-Identifier: MIT
// The small floating-point formats, described by their fields, and exact conversions from and to double. The
// conversions are here in full, since inputs and results of millions of elements go through them: with a format that
// the compiler knows they are a few instructions.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace assay::check {

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // e4m3 has none: its top exponent holds numbers, and only all ones are NaN

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int smallest_exponent() const { return 1 - bias(); }  // of normal numbers
  constexpr int largest_exponent() const { return (1 << exponent_bits) - (has_infinity ? 2 : 1) - bias(); }
  double largest() const;  // finite
  double smallest_normal() const;
  double smallest_subnormal() const;  // also the distance of neighbours below the smallest normal number

  // Without the sign; for formats of at most 32 bits.
  constexpr uint32_t infinity_bits() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  constexpr uint32_t nan_bits() const {
    return has_infinity ? infinity_bits() | (1u << (mantissa_bits - 1)) : (1u << (exponent_bits + mantissa_bits)) - 1;
  }
};

inline constexpr FloatFormat kF16{5, 10, true};
inline constexpr FloatFormat kBf16{8, 7, true};
inline constexpr FloatFormat kF32{8, 23, true};
inline constexpr FloatFormat kF64{11, 52, true};
inline constexpr FloatFormat kE4m3{4, 3, false};
inline constexpr FloatFormat kE5m2{5, 2, true};

inline constexpr int kDoubleMantissa = 52;
inline constexpr int kDoubleBias = 1023;

// Rounded to nearest, ties to even; too large becomes infinity, or the largest number where there is no infinity.
// For formats of at most 32 bits.
inline uint32_t to_bits(double value, const FloatFormat& format) {
  const uint32_t sign = (std::signbit(value) ? 1u : 0u) << (format.exponent_bits + format.mantissa_bits);
  if (std::isnan(value)) return sign | format.nan_bits();
  const uint32_t overflow = sign | (format.has_infinity ? format.infinity_bits() : format.nan_bits() - 1);
  if (std::isinf(value)) return overflow;
  const auto bits = std::bit_cast<uint64_t>(value);
  const int exponent = static_cast<int>((bits >> kDoubleMantissa) & 0x7ff) - kDoubleBias;
  // Its own subnormals count as zero: no format of 32 bits comes near them.
  if (exponent == -kDoubleBias) return sign;
  const uint64_t significand = (bits & ((uint64_t{1} << kDoubleMantissa) - 1)) | (uint64_t{1} << kDoubleMantissa);
  const int below_normal = std::max(0, format.smallest_exponent() - exponent);
  const int shift = kDoubleMantissa - format.mantissa_bits + below_normal;
  if (shift > kDoubleMantissa + 1) return sign;  // less than half of the smallest number
  const uint64_t half = uint64_t{1} << (shift - 1);
  const uint64_t rest = significand & ((half << 1) - 1);
  // Without a branch: it would go either way for every other element.
  const uint64_t below = significand >> shift;
  const uint64_t kept = below + (static_cast<uint64_t>(rest > half) | (static_cast<uint64_t>(rest == half) & below));
  // The leading bit of a normal number carries into the exponent field, which is one less for it.
  const auto field = static_cast<uint64_t>(std::max(0, exponent - format.smallest_exponent()));
  const uint64_t magnitude = (field << format.mantissa_bits) + kept;
  const uint64_t first_too_large = format.has_infinity ? format.infinity_bits() : format.nan_bits();
  return magnitude >= first_too_large ? overflow : sign | static_cast<uint32_t>(magnitude);
}

inline double from_bits(uint32_t bits, const FloatFormat& format) {
  const uint32_t magnitude = bits & ((1u << (format.exponent_bits + format.mantissa_bits)) - 1);
  const uint64_t sign = uint64_t{bits >> (format.exponent_bits + format.mantissa_bits)} << 63;
  const uint32_t field = magnitude >> format.mantissa_bits;
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  double value = 0.0;
  if (format.has_infinity && magnitude >= format.infinity_bits()) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (!format.has_infinity && magnitude == format.nan_bits()) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (field == 0) {
    value = static_cast<double>(mantissa) * format.smallest_subnormal();
  } else {
    value = std::bit_cast<double>(
        (static_cast<uint64_t>(static_cast<int>(field) - format.bias() + kDoubleBias) << kDoubleMantissa) |
        (uint64_t{mantissa} << (kDoubleMantissa - format.mantissa_bits)));
  }
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | sign);
}

// The distance between neighbours of the format around this magnitude.
double spacing(double value, const FloatFormat& format);

}  // namespace assay::check
