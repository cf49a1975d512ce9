// SPDX-License-Identifier: MIT
// Double-precision product, sum and quotient in any rounding direction, by integers. Directed f64 arithmetic is rare,
// so these favour being evidently right; round-to-nearest takes the host's instructions instead.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu::semantics {

__extension__ using Wide = unsigned __int128;

// significand * 2^exponent. The lowest bit may stand for "something below" as well.
struct ExactNumber {
  bool negative = false;
  int exponent = 0;
  Wide significand = 0;
};

constexpr int bit_width(Wide x) {
  const auto high = static_cast<uint64_t>(x >> 64);
  return static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<uint64_t>(x)));
}

// Shift right; what falls out is kept in the lowest bit.
constexpr Wide shift_jamming(Wide x, int count) {
  if (count <= 0) return x;
  if (count >= 128) return x != 0;
  return (x >> count) | Wide{(x & ((Wide{1} << count) - 1)) != 0};
}

// A finite double, its significand shifted so that its top bit is bit `top`; a zero stays zero.
constexpr ExactNumber exact(double x, int top) {
  const uint64_t bits = bits_of(x);
  const int field = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & 0xfffffffffffffu;
  ExactNumber n{is_negative(x), (field == 0 ? 1 : field) - 1075, field == 0 ? fraction : fraction | uint64_t{1} << 52};
  if (n.significand == 0) return n;
  const int shift = top + 1 - bit_width(n.significand);
  n.significand <<= shift;
  n.exponent -= shift;
  return n;
}

template <Rounding R>
inline double round_exact(const ExactNumber& n) {
  if (n.significand == 0) return n.negative ? -0.0 : 0.0;
  const int highest = n.exponent + bit_width(n.significand) - 1;
  const int unit = highest - 52 > -1074 ? highest - 52 : -1074;  // the exponent of the result's last bit
  const int shift = unit - n.exponent;
  uint64_t kept = 0;
  bool half = false, rest = false;
  if (shift <= 0) {
    kept = static_cast<uint64_t>(n.significand << -shift);
  } else {
    kept = shift >= 128 ? 0 : static_cast<uint64_t>(n.significand >> shift);
    half = shift <= 128 && ((n.significand >> (shift - 1)) & 1) != 0;
    rest = shift > 128 || (n.significand & ((Wide{1} << (shift - 1)) - 1)) != 0;
  }
  const bool inexact = half || rest;
  bool up = false;
  if constexpr (R == Rounding::rn) up = half && (rest || (kept & 1) != 0);
  if constexpr (R == Rounding::rm) up = inexact && n.negative;
  if constexpr (R == Rounding::rp) up = inexact && !n.negative;
  double magnitude = std::ldexp(static_cast<double>(kept + (up ? 1 : 0)), unit);
  const bool keeps_infinity =
      R == Rounding::rn || (R == Rounding::rm && n.negative) || (R == Rounding::rp && !n.negative);
  if (is_infinite(magnitude) && !keeps_infinity) magnitude = std::numeric_limits<double>::max();
  return n.negative ? -magnitude : magnitude;
}

// The sum of two numbers whose top bits are at bit 125.
inline ExactNumber add_exact(ExactNumber a, ExactNumber b) {
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
    const ExactNumber t = a;
    a = b;
    b = t;
  }
  const Wide small = shift_jamming(b.significand, a.exponent - b.exponent);
  a.significand = a.negative == b.negative ? a.significand + small : a.significand - small;
  return a;
}

// a * b + c for finite operands; the sign of an exact zero follows IEEE 754.
template <Rounding R>
inline double fma_exact(double a, double b, double c) {
  const ExactNumber x = exact(a, 52), y = exact(b, 52);
  ExactNumber product{x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand};
  if (product.significand != 0) {
    const int shift = 126 - bit_width(product.significand);
    product.significand <<= shift;
    product.exponent -= shift;
  }
  const ExactNumber addend = exact(c, 125);
  ExactNumber sum = add_exact(product, addend);
  if (sum.significand == 0)
    sum.negative = R == Rounding::rm ? product.negative || addend.negative : product.negative && addend.negative;
  return round_exact<R>(sum);
}

// a * b for finite operands.
template <Rounding R>
inline double multiply_exact(double a, double b) {
  const ExactNumber x = exact(a, 52), y = exact(b, 52);
  return round_exact<R>({x.negative != y.negative, x.exponent + y.exponent, x.significand * y.significand});
}

// a / b for finite operands, b not zero.
template <Rounding R>
inline double divide_exact(double a, double b) {
  const ExactNumber x = exact(a, 120), y = exact(b, 52);
  const Wide quotient = x.significand / y.significand;
  const Wide rest = x.significand % y.significand;
  return round_exact<R>({x.negative != y.negative, x.exponent - y.exponent - 1, quotient << 1 | Wide{rest != 0}});
}

}  // namespace assay::vgpu::semantics
