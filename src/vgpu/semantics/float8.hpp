// SPDX-License-Identifier: MIT
// The 8-bit floats e4m3 and e5m2 and the 19-bit tf32: conversions as cvt makes them.
#pragma once

#include <cstdint>

#include "vgpu/semantics/float_bits.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu::semantics {

// e4m3 has no infinity: 0x7f and 0xff are its only NaNs, 448 its largest number.
struct e4m3 {
  uint8_t bits = 0;
  static constexpr int kMantissaBits = 3, kBias = 7;
  static constexpr uint8_t kLargest = 0x7e, kNan = 0x7f;
  bool operator==(const e4m3&) const = default;
};

struct e5m2 {
  uint8_t bits = 0;
  static constexpr int kMantissaBits = 2, kBias = 15;
  static constexpr uint8_t kLargest = 0x7b, kNan = 0x7f;
  bool operator==(const e5m2&) const = default;
};

constexpr float to_float(e5m2 x) {
  return to_float(f16{static_cast<uint16_t>(x.bits << 8)});
}

constexpr float to_float(e4m3 x) {
  const uint32_t sign = static_cast<uint32_t>(x.bits & 0x80u) << 24;
  const uint32_t magnitude = x.bits & 0x7fu;
  const uint32_t normal = (magnitude << 20) + (120u << 23);
  const uint32_t subnormal = bits_of(static_cast<float>(static_cast<int32_t>(magnitude)) * 0x1p-9f);
  const uint32_t finite = magnitude < 8u ? subnormal : normal;
  return float_of(magnitude == 0x7fu ? kNanF32 : sign | finite);
}

// cvt.rn.satfinite: to nearest even; what is too large, infinity included, becomes the largest number.
template <class T>
constexpr T to_float8(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t sign = (bits >> 24) & 0x80u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  constexpr int kDrop = 23 - T::kMantissaBits;
  constexpr uint32_t kSmallestNormal = static_cast<uint32_t>(128 - T::kBias) << 23;
  // Adding a power of two whose last bit is the format's last subnormal bit rounds subnormals by the addition itself.
  constexpr uint32_t kMagic = static_cast<uint32_t>(127 + 1 - T::kBias + kDrop) << 23;
  const float small = float_of(magnitude < kSmallestNormal ? magnitude : 0u) + float_of(kMagic);
  const uint32_t subnormal = bits_of(small) - kMagic;
  const uint32_t rounded = magnitude + ((1u << (kDrop - 1)) - 1u) + ((magnitude >> kDrop) & 1u);
  const uint32_t normal = (rounded >> kDrop) - (static_cast<uint32_t>(127 - T::kBias) << T::kMantissaBits);
  uint32_t result = magnitude < kSmallestNormal ? subnormal : normal;
  constexpr uint32_t kLargest = T::kLargest;
  result = magnitude >= 0x7f800000u || result > kLargest ? kLargest : result;
  return T{static_cast<uint8_t>(magnitude > 0x7f800000u ? uint32_t{T::kNan} : sign | result)};
}

// .relu of a float8.
template <bool Relu, class T>
constexpr T rectify_float8(T x) {
  if constexpr (!Relu) return x;
  return T{static_cast<uint8_t>((x.bits & 0x80u) != 0 && (x.bits & 0x7fu) <= T::kLargest ? 0u : x.bits)};
}

// cvt.rn.satfinite{.relu}.e4m3x2.f32 d, a, b: a goes to the upper byte.
template <class T, bool Relu = false>
constexpr uint16_t to_float8x2(float a, float b) {
  const T high = rectify_float8<Relu>(to_float8<T>(a)), low = rectify_float8<Relu>(to_float8<T>(b));
  return static_cast<uint16_t>(high.bits << 8 | low.bits);
}

// cvt.rn.satfinite{.relu}.e4m3x2.f16x2: the upper half goes to the upper byte.
template <class T, bool Relu = false>
constexpr uint16_t to_float8x2(uint32_t pair) {
  return to_float8x2<T, Relu>(to_float(upper<f16>(pair)), to_float(lower<f16>(pair)));
}

// cvt.rn{.relu}.f16x2.e4m3x2 and .e5m2x2: exact.
template <class T, bool Relu = false>
constexpr uint32_t float8x2_to_f16x2(uint16_t pair) {
  const f16 low = to_f16<Rounding::rn>(to_float(T{static_cast<uint8_t>(pair & 0xff)}));
  const f16 high = to_f16<Rounding::rn>(to_float(T{static_cast<uint8_t>(pair >> 8)}));
  return pack(rectify<Relu>(low), rectify<Relu>(high));
}

// cvt.{rn,rz,rna}{.relu}.tf32.f32: ten bits of fraction, the low 13 bits of the register zero. Measured: .rn and .rz
// make a NaN canonical; .rna merely cuts it off, which can leave an infinity.
template <Rounding R, bool Relu = false>
constexpr uint32_t to_tf32(float x) {
  const uint32_t bits = bits_of(x);
  uint32_t result = bits;
  if constexpr (R == Rounding::rn) result = bits + 0xfffu + ((bits >> 13) & 1u);
  if constexpr (R == Rounding::rna) result = bits + 0x1000u;
  // Infinity and NaN would carry into the sign.
  const bool top = (bits & 0x7f800000u) == 0x7f800000u;
  result = (top ? bits : result) & 0xffffe000u;
  if constexpr (R != Rounding::rna) result = is_nan(x) ? kNanF32 & 0xffffe000u : result;
  if constexpr (Relu) result = (result >> 31) != 0 ? 0u : result;
  return result;
}

}  // namespace assay::vgpu::semantics
