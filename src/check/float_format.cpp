// SPDX-License-Identifier: MIT
#include "check/float_format.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace assay::check {
namespace {

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

uint32_t to_bits(double value, const FloatFormat& format) {
  const uint32_t sign = (std::signbit(value) ? 1u : 0u) << (format.exponent_bits + format.mantissa_bits);
  if (std::isnan(value)) return sign | nan_bits(format);
  // Powers of two scale exactly, and nearbyint rounds ties to even: one rounding in all.
  const double magnitude = std::abs(value);
  const double step = spacing(value, format);
  const double rounded = std::isinf(value) ? magnitude : std::nearbyint(magnitude / step) * step;
  if (rounded > format.largest()) return sign | (format.has_infinity ? infinity_bits(format) : nan_bits(format) - 1);
  const int exponent = rounded < format.smallest_normal() ? format.smallest_exponent() : std::ilogb(rounded);
  // Significand with its leading bit: that bit carries into the exponent field, which is one less for it.
  const auto significand = static_cast<uint32_t>(std::ldexp(rounded, format.mantissa_bits - exponent));
  const auto field = static_cast<uint32_t>(exponent - format.smallest_exponent());
  return sign | ((field << format.mantissa_bits) + significand);
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
    value = std::ldexp(static_cast<double>(mantissa), format.smallest_exponent() - format.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<double>(mantissa | (1u << format.mantissa_bits)),
                       static_cast<int>(field) - format.bias() - format.mantissa_bits);
  }
  return negative ? -value : value;
}

}  // namespace assay::check
