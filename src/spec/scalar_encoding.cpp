// SPDX-License-Identifier: MIT
#include "spec/scalar_encoding.hpp"

#include <cmath>
#include <cstring>

namespace assay::spec {

namespace {

struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  double largest;  // finite
};

std::optional<FloatFormat> small_format(DType type) {
  switch (type) {
    case DType::f16:
      return FloatFormat{5, 10, 65504.0};
    case DType::bf16:
      return FloatFormat{8, 7, 0x1.fep127};
    case DType::e4m3:
      return FloatFormat{4, 3, 448.0};
    case DType::e5m2:
      return FloatFormat{5, 2, 57344.0};
    default:
      return std::nullopt;
  }
}

// Formats that C++ has no type for. `value` is finite.
std::optional<uint64_t> encode_small(double value, const FloatFormat& format) {
  const double magnitude = std::fabs(value);
  const int bias = (1 << (format.exponent_bits - 1)) - 1;
  const int lowest_exponent = 1 - bias;  // of normal numbers; below it the spacing no longer shrinks
  int exponent = lowest_exponent;
  if (magnitude > 0) exponent = std::max(std::ilogb(magnitude), lowest_exponent);
  const double spacing = std::ldexp(1.0, exponent - format.mantissa_bits);
  // nearbyint rounds ties to even in the default rounding mode, and dividing by a power of two is exact.
  const double steps = std::nearbyint(magnitude / spacing);
  if (steps * spacing > format.largest) return std::nullopt;
  // A carry out of the mantissa runs into the exponent field, which is just what rounding up to a power of two needs.
  const auto hidden = static_cast<uint64_t>(exponent - lowest_exponent) << format.mantissa_bits;
  const uint64_t sign = std::signbit(value) ? 1 : 0;
  return (sign << (format.exponent_bits + format.mantissa_bits)) | (hidden + static_cast<uint64_t>(steps));
}

bool fits_integer(int64_t value, DType type) {
  const int bits = 8 * size_bytes(type);
  if (is_signed_integer(type))
    return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1)));
  return value >= 0 && (bits == 64 || value < (int64_t{1} << bits));
}

std::optional<uint64_t> encode_bits(const Value& value, DType type) {
  if (!is_floating(type)) {
    if (!value.is_integer() || !fits_integer(value.integer(), type)) return std::nullopt;
    return static_cast<uint64_t>(value.integer());
  }
  const double number = value.as_double();
  if (!std::isfinite(number)) return std::nullopt;
  if (const auto format = small_format(type)) return encode_small(number, *format);
  uint64_t bits = 0;
  if (type == DType::f64) {
    std::memcpy(&bits, &number, sizeof number);
    return bits;
  }
  if (std::fabs(number) > 0x1.fffffefp127) return std::nullopt;  // would round to infinity, and be undefined to convert
  const auto single = static_cast<float>(number);
  uint32_t narrow = 0;
  std::memcpy(&narrow, &single, sizeof single);
  return narrow;
}

}  // namespace

std::optional<std::vector<uint8_t>> encode(const Value& value, DType type) {
  const auto bits = encode_bits(value, type);
  if (!bits) return std::nullopt;
  std::vector<uint8_t> bytes;
  for (int i = 0; i < size_bytes(type); ++i) bytes.push_back(static_cast<uint8_t>(*bits >> (8 * i)));
  return bytes;
}

}  // namespace assay::spec
