// SPDX-License-Identifier: MIT
#include "vgpu/machine/bulk_reduction.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "vgpu/semantics/float_arithmetic.hpp"
#include "vgpu/semantics/half_arithmetic.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

template <class T, auto F>
void combine(std::byte* to, const std::byte* from, uint32_t bytes) {
  for (uint32_t at = 0; at < bytes; at += sizeof(T)) {
    T old;
    T other;
    std::memcpy(&old, to + at, sizeof old);
    std::memcpy(&other, from + at, sizeof other);
    const T result = F(old, other);
    std::memcpy(to + at, &result, sizeof result);
  }
}

template <class T>
constexpr T sum(T a, T b) {
  return static_cast<T>(a + b);
}
inline float sum_f32(float a, float b) {
  return s::add<s::Rounding::rn, false, false>(a, b);
}
inline double sum_f64(double a, double b) {
  return s::add<s::Rounding::rn>(a, b);
}
template <class T>
constexpr T smaller(T a, T b) {
  return b < a ? b : a;
}
template <class T>
constexpr T larger(T a, T b) {
  return a < b ? b : a;
}
constexpr uint32_t increment(uint32_t a, uint32_t b) {
  return a >= b ? 0 : a + 1;
}
constexpr uint32_t decrement(uint32_t a, uint32_t b) {
  return a == 0 || a > b ? b : a - 1;
}
template <class T>
constexpr T both(T a, T b) {
  return a & b;
}
template <class T>
constexpr T either(T a, T b) {
  return a | b;
}
template <class T>
constexpr T one_of(T a, T b) {
  return a ^ b;
}

template <class T>
Combine integers(Reduction reduction) {
  switch (reduction) {
    case Reduction::add:
      return &combine<T, sum<T>>;
    case Reduction::min:
      return &combine<T, smaller<T>>;
    case Reduction::max:
      return &combine<T, larger<T>>;
    case Reduction::bit_and:
      return &combine<T, both<T>>;
    case Reduction::bit_or:
      return &combine<T, either<T>>;
    case Reduction::bit_xor:
      return &combine<T, one_of<T>>;
    default:
      return nullptr;
  }
}

template <class T>
Combine halves(Reduction reduction) {
  switch (reduction) {
    case Reduction::add:
      return &combine<T, [](T a, T b) { return s::half_add<T>(a, b); }>;
    case Reduction::min:
      return &combine<T, [](T a, T b) { return s::half_min<T>(a, b); }>;
    case Reduction::max:
      return &combine<T, [](T a, T b) { return s::half_max<T>(a, b); }>;
    default:
      return nullptr;
  }
}

struct TypeName {
  std::string_view name;
  ReducedType type;
};
constexpr std::array kTypes = {
    TypeName{"f16", ReducedType::f16}, TypeName{"bf16", ReducedType::bf16}, TypeName{"f32", ReducedType::f32},
    TypeName{"f64", ReducedType::f64}, TypeName{"u32", ReducedType::u32},   TypeName{"b32", ReducedType::u32},
    TypeName{"s32", ReducedType::s32}, TypeName{"i32", ReducedType::s32},   TypeName{"u64", ReducedType::u64},
    TypeName{"b64", ReducedType::u64}, TypeName{"s64", ReducedType::s64},   TypeName{"i64", ReducedType::s64},
};

}  // namespace

ReducedType reduced_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TypeName::name);
  return found == kTypes.end() ? ReducedType::none : found->type;
}

Reduction reduction_named(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
  return static_cast<Reduction>(std::ranges::find(kNames, name) - kNames.begin());
}

Combine combine_of(Reduction reduction, ReducedType type) {
  switch (type) {
    case ReducedType::f16:
      return halves<s::f16>(reduction);
    case ReducedType::bf16:
      return halves<s::bf16>(reduction);
    case ReducedType::f32:
      return reduction == Reduction::add ? &combine<float, sum_f32> : nullptr;
    case ReducedType::f64:
      return reduction == Reduction::add ? &combine<double, sum_f64> : nullptr;
    case ReducedType::u32:
      if (reduction == Reduction::inc) return &combine<uint32_t, increment>;
      if (reduction == Reduction::dec) return &combine<uint32_t, decrement>;
      return integers<uint32_t>(reduction);
    case ReducedType::s32:
      return integers<int32_t>(reduction);
    case ReducedType::u64:
      return integers<uint64_t>(reduction);
    case ReducedType::s64:
      return integers<int64_t>(reduction);
    case ReducedType::none:
      break;
  }
  return nullptr;
}

}  // namespace assay::vgpu
