// SPDX-License-Identifier: MIT
// The comparisons of setp, set and slct, and the predicates of testp.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu::semantics {

enum class Comparison : uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,  // floats: false when an operand is NaN
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,  // true when an operand is NaN
  num,
  nan,  // both are numbers; one is NaN
  lo,
  ls,
  hi,
  hs,  // unsigned integers: lt, le, gt, ge
};

// T is an integer type, float or double. For half types, compare the values widened to float.
template <Comparison C, bool Ftz = false, class T>
constexpr bool compare(T a, T b) {
  if constexpr (std::is_same_v<T, float>) {
    a = flush<Ftz>(a);
    b = flush<Ftz>(b);
  }
  switch (C) {
    case Comparison::eq:
      return a == b;
    // The inequality of numbers only: x != y alone would be true for NaN.
    case Comparison::ne:
      if constexpr (std::is_floating_point_v<T>) return a < b || a > b;
      return a != b;
    case Comparison::lt:
    case Comparison::lo:
      return a < b;
    case Comparison::le:
    case Comparison::ls:
      return a <= b;
    case Comparison::gt:
    case Comparison::hi:
      return a > b;
    case Comparison::ge:
    case Comparison::hs:
      return a >= b;
    case Comparison::equ:
      return !(a < b || a > b);
    case Comparison::neu:
      return a != b;
    case Comparison::ltu:
      return !(a >= b);
    case Comparison::leu:
      return !(a > b);
    case Comparison::gtu:
      return !(a <= b);
    case Comparison::geu:
      return !(a < b);
    case Comparison::num:
      return a == a && b == b;
    case Comparison::nan:
      return a != a || b != b;
  }
  return false;
}

// How setp and set join a comparison with a predicate.
enum class Join : uint8_t { none, logical_and, logical_or, logical_xor };

template <Join J>
constexpr bool join(bool comparison, bool other) {
  if constexpr (J == Join::logical_and) return comparison && other;
  if constexpr (J == Join::logical_or) return comparison || other;
  if constexpr (J == Join::logical_xor) return comparison != other;
  return comparison;
}

enum class Property : uint8_t { finite, infinite, number, notanumber, normal, subnormal };

template <Property P, class Float>
constexpr bool has_property(Float x) {
  using Bits = typename FloatTraits<Float>::Bits;
  const Bits exponent = bits_of(x) & FloatTraits<Float>::kExponent;
  const bool top = exponent == FloatTraits<Float>::kExponent;
  switch (P) {
    case Property::finite:
      return !top;
    case Property::infinite:
      return top && !is_nan(x);
    case Property::number:
      return !is_nan(x);
    case Property::notanumber:
      return is_nan(x);
    case Property::normal:  // zero counts as normal, as the manual says and an H200 does
      return !top && (exponent != 0 || x == Float(0));
    case Property::subnormal:
      return exponent == 0 && x != Float(0);
  }
  return false;
}

}  // namespace assay::vgpu::semantics
