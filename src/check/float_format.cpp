// SPDX-License-Identifier: MIT
#include "check/float_format.hpp"

namespace assay::check {

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
  if (std::isfinite(value)) {
    // Zero and the subnormals of double have the least field of all, which is below the smallest exponent.
    const auto field = static_cast<int>((std::bit_cast<uint64_t>(value) >> kDoubleMantissa) & 0x7ff);
    exponent = std::clamp(field - kDoubleBias, exponent, format.largest_exponent());
  }
  const int distance = exponent - format.mantissa_bits;
  if (distance <= -kDoubleBias) return std::ldexp(1.0, distance);
  return std::bit_cast<double>(static_cast<uint64_t>(distance + kDoubleBias) << kDoubleMantissa);
}

}  // namespace assay::check
