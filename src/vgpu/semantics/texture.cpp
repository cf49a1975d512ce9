// SPDX-License-Identifier: MIT
#include "vgpu/semantics/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "vgpu/semantics/float_bits.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr int kWeightBits = 8;
constexpr int kNormalisedBits = 21;  // fractional bits of a normalised coordinate: the rest is cut off
constexpr double kFar = 0x1p40;      // further away than any texture reaches

// A coordinate as a number that can be counted with; denormals are zero.
double coordinate_of(float coordinate) {
  if (is_nan(coordinate)) return 0;
  return std::clamp(static_cast<double>(flush<true>(coordinate)), -kFar, kFar);
}

int64_t modulo(int64_t value, int64_t period) {
  const int64_t rest = value % period;
  return rest < 0 ? rest + period : rest;
}

// The texel that an index stands for.
int64_t addressed(int64_t index, TextureAxis axis) {
  switch (axis.mode) {
    case AddressMode::wrap:
      return modulo(index, axis.size);
    case AddressMode::mirror: {
      const int64_t at = modulo(index, 2 * axis.size);
      return at < axis.size ? at : 2 * axis.size - 1 - at;
    }
    case AddressMode::border:
      return index >= 0 && index < axis.size ? index : kBorder;
    case AddressMode::clamp:
      break;
  }
  return std::clamp<int64_t>(index, 0, axis.size - 1);
}

}  // namespace

TexelPair texels_at(float coordinate, TextureAxis axis, bool normalised, TexelFilter filter) {
  double place = coordinate_of(coordinate);  // in texels
  if (normalised) {
    place = std::floor(place * (1 << kNormalisedBits)) / (1 << kNormalisedBits);
    // Whole periods are left out first, so that far places keep their fraction.
    if (axis.mode == AddressMode::wrap) place -= std::floor(place);
    if (axis.mode == AddressMode::mirror) place -= 2 * std::floor(place / 2);
    place *= static_cast<double>(axis.size);
  } else if (axis.mode != AddressMode::border) {
    axis.mode = AddressMode::clamp;
  }
  if (filter == TexelFilter::point) {
    const int64_t texel = addressed(static_cast<int64_t>(std::floor(place)), axis);
    return {texel, texel, 0};
  }
  // Texels have their centres at one half.
  auto at = static_cast<int64_t>(std::floor(place * kWholeWeight + 0.5)) - kWholeWeight / 2;
  // At the edge the weight is that of the edge, which the rounding of other axes' weights shows.
  if (axis.mode == AddressMode::clamp && filter == TexelFilter::linear)
    at = std::clamp<int64_t>(at, 0, (axis.size - 1) * kWholeWeight);
  const int64_t first = at >> kWeightBits;
  return {addressed(first, axis), addressed(first + 1, axis), static_cast<uint32_t>(at & (kWholeWeight - 1))};
}

TexelWeights texel_weights(uint32_t x, uint32_t y, uint32_t z) {
  const auto part = [](uint32_t whole, uint32_t weight) { return (whole * weight + kWholeWeight / 2) >> kWeightBits; };
  TexelWeights result;
  for (uint32_t slice = 0; slice < 2; ++slice) {
    const uint32_t whole = slice == 0 ? kWholeWeight - z : z;
    const uint32_t right = part(whole, x);
    const uint32_t left = whole - right;
    uint32_t* const of_slice = result.weights.data() + 4 * slice;
    of_slice[3] = part(right, y);
    of_slice[1] = right - of_slice[3];
    of_slice[0] = part(left, kWholeWeight - y);
    of_slice[2] = left - of_slice[0];
  }
  for (uint32_t i = 0; i < 8; ++i) {
    const bool touched = ((i & 1) == 0 || x != 0) && ((i & 2) == 0 || y != 0) && ((i & 4) == 0 || z != 0);
    result.touched |= touched ? 1u << i : 0u;
  }
  return result;
}

namespace {

constexpr int kGuardBits = 4;      // of a texel's fraction, behind its last one
constexpr int kFractionBits = 23;  // of a float
constexpr int kHalfDigits = 11;
constexpr uint32_t kLargestExponent = 255;

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// A sum of numbers with one exponent: value * 2^(exponent - 127 - kFractionBits - kGuardBits - kWeightBits).
struct SliceSum {
  int64_t value = 0;
  int exponent = 0;
};

uint32_t exponent_of(float x) {
  return bits_of(x) >> kFractionBits & kLargestExponent;
}

// Fractions are moved to the largest exponent first, and lose what then lies behind the guard bits.
SliceSum slice_sum(std::span<const float, 4> texels, std::span<const uint32_t, 4> weights, int digits) {
  SliceSum sum;
  for (size_t i = 0; i < 4; ++i) {
    if (weights[i] != 0 && exponent_of(texels[i]) != 0)
      sum.exponent = std::max(sum.exponent, static_cast<int>(exponent_of(texels[i])));
  }
  for (size_t i = 0; i < 4; ++i) {
    const auto exponent = static_cast<int>(exponent_of(texels[i]));
    if (weights[i] == 0 || exponent == 0) continue;
    const int shift = sum.exponent - exponent;
    const uint64_t fraction = (bits_of(texels[i]) & 0x7fffffu) | 0x800000u;
    const uint64_t kept = ~uint64_t{0} << (kFractionBits + 1 - digits);
    const auto moved = static_cast<int64_t>(shift < 40 ? (fraction << kGuardBits) >> shift & kept : 0);
    sum.value += (is_negative(texels[i]) ? -moved : moved) * weights[i];
  }
  return sum;
}

// To the nearest number of so many digits, or to the nearest half if there are 11, ties away from zero; what is too
// small for a normal float is zero.
float rounded(Wide value, int exponent, int digits) {
  constexpr int kSmallestHalf = 127 - 24;  // the exponent of the last bit of a subnormal half
  const bool negative = value < 0;
  UnsignedWide magnitude = static_cast<UnsignedWide>(negative ? -value : value);
  const auto high = static_cast<uint64_t>(magnitude >> 64);
  const auto width =
      static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(magnitude)));
  int surplus = width - digits;
  if (digits == kHalfDigits) surplus = std::max(surplus, kSmallestHalf - exponent);
  if (surplus > 0 && surplus < 120)
    magnitude = (magnitude + (static_cast<UnsignedWide>(1) << (surplus - 1))) >> surplus << surplus;
  // Now at most as many digits as a float has, so that both steps are exact.
  const double exact = std::ldexp(static_cast<double>(magnitude), exponent - 127);
  const auto result = static_cast<float>(negative ? -exact : exact);
  return flush<true>(result);
}

}  // namespace

float weighted_sum(TexelFormat format, std::span<const float, 8> texels, const TexelWeights& weights) {
  const int digits = format == TexelFormat::f16 ? kHalfDigits : kFractionBits + 1;
  // Infinities and NaNs do as in any sum, and so do zeros: only negative ones make a negative one.
  bool plus = false, minus = false, negative = true;
  for (size_t i = 0; i < 8; ++i) {
    if ((weights.touched >> i & 1) == 0) continue;
    if (is_nan(texels[i])) return float_of(kNanF32);
    if (is_infinite(texels[i])) (is_negative(texels[i]) ? minus : plus) = true;
    negative = negative && is_negative(texels[i]);
  }
  if (plus && minus) return float_of(kNanF32);
  if (plus || minus) return plus ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
  constexpr int kBehind = kFractionBits + kGuardBits + kWeightBits;
  SliceSum near = slice_sum(texels.first<4>(), std::span(weights.weights).first<4>(), digits);
  SliceSum far = slice_sum(texels.last<4>(), std::span(weights.weights).last<4>(), digits);
  if (near.value == 0 && far.value == 0) return negative ? -0.0f : 0.0f;
  if (near.value == 0) return rounded(far.value, far.exponent - kBehind, digits);
  if (far.value == 0) return rounded(near.value, near.exponent - kBehind, digits);
  if (near.exponent < far.exponent) std::swap(near, far);
  // The smaller one is moved to the larger exponent, and rounded down one bit behind the last of the larger.
  const int shift = std::min(near.exponent - far.exponent, 62);
  return rounded(2 * near.value + ((2 * far.value) >> shift), near.exponent - kBehind - 1, digits);
}

float weighted_fraction(TexelFormat format, std::span<const uint32_t, 8> texels, const TexelWeights& weights) {
  int64_t sum = 0;
  for (size_t i = 0; i < 8; ++i)
    sum += int64_t{static_cast<int32_t>(channel_as_integer(format, texels[i]))} * weights.weights[i];
  const int64_t widening = format == TexelFormat::u8 ? 257 : 1;
  const auto to_integer = [](int64_t value) { return static_cast<float>((value + kWholeWeight / 2) >> kWeightBits); };
  if (format == TexelFormat::u8 || format == TexelFormat::u16) return to_integer(sum * widening) / 65535.0f;
  if (format == TexelFormat::s16) return std::max(-1.0f, to_integer(sum) / 32767.0f);
  const double scaled = static_cast<double>(sum) * 32767 / (127.0 * kWholeWeight);
  return std::max(-1.0f, static_cast<float>(std::floor(scaled + 0.5)) / 32767.0f);
}

uint32_t channel_bits_of(TexelFormat format, float value) {
  // Halves are rounded towards zero, as an H200 does it.
  const auto scaled = [&](float low, float largest) {
    const float exact = std::clamp(is_nan(value) ? 0.0f : value, low, 1.0f) * largest;
    return static_cast<int32_t>(std::copysign(std::ceil(std::abs(exact) - 0.5f), exact));
  };
  switch (format) {
    case TexelFormat::u8:
      return static_cast<uint8_t>(scaled(0, 255));
    case TexelFormat::u16:
      return static_cast<uint16_t>(scaled(0, 65535));
    case TexelFormat::s8:
      return static_cast<uint8_t>(scaled(-1, 127));
    case TexelFormat::s16:
      return static_cast<uint16_t>(scaled(-1, 32767));
    case TexelFormat::f16:
      return to_f16<Rounding::rn>(value).bits;
    default:
      return bits_of(value);
  }
}

float channel_as_float(TexelFormat format, uint32_t bits) {
  switch (format) {
    case TexelFormat::u8:
      return static_cast<float>(static_cast<uint8_t>(bits)) / 255.0f;
    case TexelFormat::u16:
      return static_cast<float>(static_cast<uint16_t>(bits)) / 65535.0f;
    case TexelFormat::s8:
      return std::max(-1.0f, static_cast<float>(static_cast<int8_t>(bits)) / 127.0f);
    case TexelFormat::s16:
      return std::max(-1.0f, static_cast<float>(static_cast<int16_t>(bits)) / 32767.0f);
    case TexelFormat::f16:
      return to_float(f16{static_cast<uint16_t>(bits)});
    default:
      return float_of(bits);
  }
}

float light_of_srgb(float value) {
  constexpr int kLightDigits = 8;  // with fewer some bytes would mean the same light
  const double x = static_cast<double>(value);
  int exponent = 0;
  const double part = std::frexp(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4), &exponent);
  return static_cast<float>(std::ldexp(std::round(std::ldexp(part, kLightDigits)), exponent - kLightDigits));
}

uint32_t channel_as_integer(TexelFormat format, uint32_t bits) {
  switch (format) {
    case TexelFormat::u8:
      return static_cast<uint8_t>(bits);
    case TexelFormat::u16:
      return static_cast<uint16_t>(bits);
    case TexelFormat::s8:
      return static_cast<uint32_t>(int32_t{static_cast<int8_t>(bits)});
    case TexelFormat::s16:
      return static_cast<uint32_t>(int32_t{static_cast<int16_t>(bits)});
    case TexelFormat::f16:
      return bits_of(to_float(f16{static_cast<uint16_t>(bits)}));
    default:
      return bits;
  }
}

uint32_t channel_stored(TexelFormat format, uint32_t value) {
  const auto limited = [&](int32_t low, int32_t high) { return std::clamp(static_cast<int32_t>(value), low, high); };
  switch (format) {
    case TexelFormat::u8:
      return std::min(value, 0xffu);
    case TexelFormat::u16:
      return std::min(value, 0xffffu);
    case TexelFormat::s8:
      return static_cast<uint8_t>(limited(-128, 127));
    case TexelFormat::s16:
      return static_cast<uint16_t>(limited(-32768, 32767));
    case TexelFormat::f16:
      return to_f16<Rounding::rz>(float_of(value)).bits;
    default:
      return value;
  }
}

CubePlace cube_place(float x, float y, float z) {
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  if (az >= ax && az >= ay) return {z < 0 ? 5u : 4u, (z < 0 ? -x : x) / az, -y / az};
  if (ay >= ax) return {y < 0 ? 3u : 2u, x / ay, (y < 0 ? -z : z) / ay};
  return {x < 0 ? 1u : 0u, (x < 0 ? z : -z) / ax, -y / ax};
}

}  // namespace assay::vgpu::semantics
