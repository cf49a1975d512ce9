// SPDX-License-Identifier: MIT
// The small floating-point formats, described by their fields, and exact conversions from and to double.
#pragma once

#include <cstdint>

namespace assay::check {

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  // e4m3 has none: its top exponent holds numbers, and only all ones are NaN

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int smallest_exponent() const { return 1 - bias(); }  // of normal numbers
  int largest_exponent() const { return (1 << exponent_bits) - (has_infinity ? 2 : 1) - bias(); }
  double largest() const;  // finite
  double smallest_normal() const;
  double smallest_subnormal() const;  // also the distance of neighbours below the smallest normal number
};

inline constexpr FloatFormat kF16{5, 10, true};
inline constexpr FloatFormat kBf16{8, 7, true};
inline constexpr FloatFormat kF32{8, 23, true};
inline constexpr FloatFormat kF64{11, 52, true};
inline constexpr FloatFormat kE4m3{4, 3, false};
inline constexpr FloatFormat kE5m2{5, 2, true};

// Rounded to nearest, ties to even; too large becomes infinity, or the largest number where there is no infinity.
// For formats of at most 32 bits.
uint32_t to_bits(double value, const FloatFormat& format);
double from_bits(uint32_t bits, const FloatFormat& format);

// The distance between neighbours of the format around this magnitude.
double spacing(double value, const FloatFormat& format);

}  // namespace assay::check
