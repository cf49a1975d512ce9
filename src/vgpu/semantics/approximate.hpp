// SPDX-License-Identifier: MIT
// The .approx and .full instructions. Hardware looks its values up in tables that are not public; these are correctly
// rounded or miss that by a hair, which is well inside the ISA's error bounds. Special values follow the ISA's tables.
// ex2, lg2, rcp, rsqrt and sqrt have no branches, so that a loop over lanes becomes vector code.
#pragma once

#include <cmath>
#include <cstdint>

#include "vgpu/semantics/float_arithmetic.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu::semantics {

// 2^x for x in [-160, 160], relative error below 2^-44; NaN counts as -160.
constexpr double exp2_kernel(double x) {
  const double above = x > -160.0 ? x : -160.0;
  const double within = above < 160.0 ? above : 160.0;
  constexpr double kMagic = 0x1.8p52;  // adding it leaves the nearest integer in the last bits
  const double shifted = within + kMagic;
  const double f = within - (shifted - kMagic);  // [-1/2, 1/2]
  double p = 0x1.b63880c05dec6p-24;              // (2^f - 1) / f, interpolated at Chebyshev points
  p = p * f + 0x1.63d13635dabb4p-20;
  p = p * f + 0x1.ffcb951582ap-17;
  p = p * f + 0x1.4308ac85aabdbp-13;
  p = p * f + 0x1.5d87fe86fe985p-10;
  p = p * f + 0x1.3b2ab7181b759p-7;
  p = p * f + 0x1.c6b08d7047e52p-5;
  p = p * f + 0x1.ebfbdff823cedp-3;
  p = p * f + 0x1.62e42fefa39efp-1;
  p = p * f + 1.0;
  const double scale = double_of((bits_of(shifted) + 1023u) << 52);
  return p * scale;
}

template <bool Ftz>
constexpr float ex2_approx(float x) {
  x = flush<Ftz>(x);
  const float result = flush<Ftz>(static_cast<float>(exp2_kernel(static_cast<double>(x))));
  return is_nan(x) ? float_of(kNanF32) : result;
}

// log2 of a positive, finite, normal double; relative error below 2^-43, near 1 too.
constexpr double log2_kernel(double x) {
  const uint64_t bits = bits_of(x);
  const double mantissa = double_of((bits & 0xfffffffffffffu) | 0x3ff0000000000000u);  // [1, 2)
  // The exponent field, turned into a number by writing it into the last bits of 2^52.
  const double exponent = double_of(0x4330000000000000u | bits >> 52) - (0x1p52 + 1023.0);
  const bool high = mantissa > 0x1.6a09e667f3bcdp+0;
  const double m = high ? mantissa * 0.5 : mantissa;  // [sqrt(1/2), sqrt(2)]
  const double e = high ? exponent + 1.0 : exponent;
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  p = p * z + 1.0;
  constexpr double kTwoOverLog2 = 0x1.71547652b82fep+1;
  return e + p * s * kTwoOverLog2;
}

template <bool Ftz>
constexpr float lg2_approx(float x) {
  x = flush<Ftz>(x);
  const float result = static_cast<float>(log2_kernel(static_cast<double>(x)));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float ends = x == kInfinity ? kInfinity : x == 0.0f ? -kInfinity : result;
  return x >= 0.0f ? ends : float_of(kNanF32);
}

template <bool Ftz>
constexpr float rcp_approx(float x) {
  return finish<Ftz, false>(1.0f / flush<Ftz>(x));
}

template <bool Ftz>
inline float sqrt_approx(float x) {
  return finish<Ftz, false>(__builtin_sqrtf(flush<Ftz>(x)));
}

template <bool Ftz>
inline float rsqrt_approx(float x) {
  return canonical(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(flush<Ftz>(x)))));
}

template <bool Ftz>
inline float sin_approx(float x) {
  return finish<Ftz, false>(static_cast<float>(std::sin(static_cast<double>(flush<Ftz>(x)))));
}
template <bool Ftz>
inline float cos_approx(float x) {
  return finish<Ftz, false>(static_cast<float>(std::cos(static_cast<double>(flush<Ftz>(x)))));
}
inline float tanh_approx(float x) {
  return canonical(static_cast<float>(std::tanh(static_cast<double>(x))));
}

// div.approx multiplies by the reciprocal, which is zero for divisors above 2^126.
template <bool Ftz>
constexpr float div_approx(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  const float quotient = a / b;
  const float zero = a * with_sign_of(0.0f, b);  // NaN for an infinite a
  return finish<Ftz, false>(magnitude(b) > 0x1p126f ? zero : flush_quotient<Rounding::rn, Ftz>(a, b, quotient));
}
// div.full scales its operands, so that every divisor works.
template <bool Ftz>
constexpr float div_full(float a, float b) {
  a = flush<Ftz>(a);
  b = flush<Ftz>(b);
  return finish<Ftz, false>(flush_quotient<Rounding::rn, Ftz>(a, b, a / b));
}

// --- 16-bit forms ---------------------------------------------------------------------------------------------------

// ex2.approx{.ftz}.f16, ex2.approx.ftz.bf16. An H200 cuts f16 results off rather than round them, subnormal ones too.
template <class T, bool Ftz>
constexpr T half_ex2_approx(T x) {
  x = flush<Ftz>(x);
  const double power = exp2_kernel(static_cast<double>(to_float(x)));
  T result = flush<Ftz>(to_half<T, Rounding::rn>(power));
  if constexpr (std::is_same_v<T, f16>)
    result = flush<Ftz>(f16{power < 0x1p16 ? to_f16<Rounding::rz>(power).bits : f16::kInfinity});
  return is_nan(x) ? T{T::kNan} : result;
}
template <class T>
inline T half_tanh_approx(T x) {
  return to_half<T, Rounding::rn>(std::tanh(static_cast<double>(to_float(x))));
}

// --- f64 ------------------------------------------------------------------------------------------------------------

// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read and write only the upper 32 bits of a double. A NaN whose payload
// lies in the lower ones is an infinity to them.
inline constexpr uint64_t kGrossNan = 0x7fffffff00000000u;

constexpr double gross_operand(double x) {
  const uint64_t bits = bits_of(x) & 0xffffffff00000000u;
  return double_of((bits & FloatTraits<double>::kExponent) == 0 ? bits & FloatTraits<double>::kSign : bits);
}
constexpr double gross_result(double x) {
  const uint64_t rounded = (bits_of(x) + 0x80000000u) & 0xffffffff00000000u;
  const bool subnormal = (rounded & FloatTraits<double>::kExponent) == 0;
  const uint64_t flushed = subnormal ? rounded & FloatTraits<double>::kSign : rounded;
  return double_of(is_nan(x) ? kGrossNan : flushed);
}

constexpr double rcp_approx_ftz(double x) {
  const double y = gross_operand(x);
  return gross_result(1.0 / y);
}
inline double rsqrt_approx_ftz(double x) {
  const double y = gross_operand(x);
  return gross_result(1.0 / __builtin_sqrt(y));
}
inline double rsqrt_approx(double x) {
  return 1.0 / __builtin_sqrt(x);
}

}  // namespace assay::vgpu::semantics
