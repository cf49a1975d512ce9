// SPDX-License-Identifier: MIT
#include "check/float_format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace assay::check {
namespace {

constexpr int kDoubleMantissa = 52;
constexpr int kDoubleBias = 1023;

uint32_t infinity_bits(const FloatFormat& format) {
  return ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
}

uint32_t nan_bits(const FloatFormat& format) {
  const uint32_t all_ones = (1u << (format.exponent_bits + format.mantissa_bits)) - 1;
  return format.has_infinity ? infinity_bits(format) | (1u << (format.mantissa_bits - 1)) : all_ones;
}

}  // namespace

double FloatFormat::largest() const {
  // Without infinity the pattern of all ones is NaN, so the largest number is one step lower.
  const double fraction = 2.0 - std::ldexp(has_infinity ? 1.0 : 2.0, -mantissa_bits);
  return std::ldexp(fraction, largest_exponent());
}

double FloatFormat::smallest_normal() const {
  return std::ldexp(1.0, smallest_exponent());
}

double FloatFormat::smallest_subnormal() const {
  return std::ldexp(1.0, smallest_exponent() - mantissa_bits);
}

double spacing(double value, const FloatFormat& format) {
  int exponent = format.smallest_exponent();
  if (std::isfinite(value) && value != 0.0) exponent = std::max(exponent, std::ilogb(value));
  exponent = std::min(exponent, format.largest_exponent());
  return std::ldexp(1.0, exponent - format.mantissa_bits);
}

// On the fields of the double itself: inputs and results of millions of elements go through here.
uint32_t to_bits(double value, const FloatFormat& format) {
  const uint32_t sign = (std::signbit(value) ? 1u : 0u) << (format.exponent_bits + format.mantissa_bits);
  if (std::isnan(value)) return sign | nan_bits(format);
  const uint32_t overflow = sign | (format.has_infinity ? infinity_bits(format) : nan_bits(format) - 1);
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
  uint64_t kept = significand >> shift;
  if (rest > half || (rest == half && (kept & 1) != 0)) ++kept;
  // The leading bit of a normal number carries into the exponent field, which is one less for it.
  const auto field = static_cast<uint64_t>(std::max(0, exponent - format.smallest_exponent()));
  const uint64_t magnitude = (field << format.mantissa_bits) + kept;
  const uint64_t first_too_large = format.has_infinity ? infinity_bits(format) : nan_bits(format);
  return magnitude >= first_too_large ? overflow : sign | static_cast<uint32_t>(magnitude);
}

double from_bits(uint32_t bits, const FloatFormat& format) {
  const uint32_t magnitude = bits & ((1u << (format.exponent_bits + format.mantissa_bits)) - 1);
  const bool negative = ((bits >> (format.exponent_bits + format.mantissa_bits)) & 1u) != 0;
  const uint32_t field = magnitude >> format.mantissa_bits;
  const uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  double value = 0.0;
  if (format.has_infinity && magnitude >= infinity_bits(format)) {
    value = mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (!format.has_infinity && magnitude == nan_bits(format)) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (field == 0) {
    value = static_cast<double>(mantissa) * format.smallest_subnormal();
  } else {
    value = std::bit_cast<double>(
        (static_cast<uint64_t>(static_cast<int>(field) - format.bias() + kDoubleBias) << kDoubleMantissa) |
        (uint64_t{mantissa} << (kDoubleMantissa - format.mantissa_bits)));
  }
  return negative ? -value : value;
}

}  // namespace assay::check
