// SPDX-License-Identifier: MIT
// cvt to the formats of tensor cores: f16 and bf16 with .relu or .satfinite, pairs of them, tf32, e4m3 and e5m2.
#include <array>

#include "vgpu/execute/conversion.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/semantics/convert.hpp"
#include "vgpu/semantics/float8.hpp"

namespace assay::vgpu {
namespace {

using ptx::Type;
using semantics::bf16;
using semantics::e4m3;
using semantics::e5m2;
using semantics::f16;
using semantics::Rounding;

// .satfinite: what would be infinite becomes the largest number of its sign; NaN stays.
template <class T>
constexpr T make_finite(T x) {
  const bool infinite = (x.bits & 0x7fffu) == T::kInfinity;
  return T{static_cast<uint16_t>(infinite ? x.bits - 1u : x.bits)};
}

template <class T, Rounding R, bool Relu, bool Finite>
constexpr T to_half_with(float a) {
  T result = semantics::to_half<T, R>(a);
  if constexpr (Finite) result = make_finite(result);
  return semantics::rectify<Relu>(result);
}

// The first operand goes to the upper half.
template <class T, Rounding R, bool Relu, bool Finite>
constexpr uint32_t to_half_pair(float a, float b) {
  return semantics::pack(to_half_with<T, R, Relu, Finite>(b), to_half_with<T, R, Relu, Finite>(a));
}

// pick<R, Relu, Finite>() with R one of rn and rz.
template <class Pick>
Handler for_half_modifiers(const BindContext& context, Pick pick) {
  return for_flags(context.has("relu"), context.has("satfinite"), [&]<bool Relu, bool Finite>() {
    return context.has("rz") ? pick.template operator()<Rounding::rz, Relu, Finite>()
                             : pick.template operator()<Rounding::rn, Relu, Finite>();
  });
}

template <class T>
Handler single_half(BindContext& context) {
  return for_half_modifiers(context, [&]<Rounding R, bool Relu, bool Finite>() {
    return rare_conversion<T, float, to_half_with<T, R, Relu, Finite>>(context);
  });
}

template <class T>
Handler half_pair(const BindContext& context) {
  return for_half_modifiers(context, []<Rounding R, bool Relu, bool Finite>() {
    return Lanes<to_half_pair<T, R, Relu, Finite>, uint32_t, float, float>::handler();
  });
}

Result<Handler> bind_half(BindContext& context) {
  return context.type() == Type::f16 ? single_half<f16>(context) : single_half<bf16>(context);
}

Result<Handler> bind_half_pair(BindContext& context) {
  return context.type() == Type::f16x2 ? half_pair<f16>(context) : half_pair<bf16>(context);
}

// --- tf32 -----------------------------------------------------------------------------------------------------------

constexpr uint32_t to_finite_tf32(float a) {
  const uint32_t result = semantics::to_tf32<Rounding::rna>(a);
  const bool infinite = (result & 0x7fffffffu) == 0x7f800000u;
  return infinite ? (result & 0x80000000u) | 0x7f7fe000u : result;
}

template <Rounding R>
Handler tf32(const BindContext& context) {
  return for_flag(context.has("relu"),
                  []<bool Relu>() { return Lanes<semantics::to_tf32<R, Relu>, uint32_t, float>::handler(); });
}

Result<Handler> bind_tf32(BindContext& context) {
  return context.has("rz") ? tf32<Rounding::rz>(context) : tf32<Rounding::rn>(context);
}

Result<Handler> bind_tf32_away(BindContext& context) {
  return context.has("satfinite") ? Lanes<to_finite_tf32, uint32_t, float>::handler()
                                  : Lanes<semantics::to_tf32<Rounding::rna>, uint32_t, float>::handler();
}

// --- fp8 ------------------------------------------------------------------------------------------------------------

template <class T, bool Relu>
constexpr uint16_t float8_of_floats(float a, float b) {
  return semantics::to_float8x2<T, Relu>(a, b);
}
template <class T, bool Relu>
constexpr uint16_t float8_of_halves(uint32_t a) {
  return semantics::to_float8x2<T, Relu>(a);
}

// pick<T, Relu>() for the 8-bit type at a place among the type modifiers.
template <class Pick>
Handler for_float8(const BindContext& context, size_t place, Pick pick) {
  return for_flag(context.has("relu"), [&]<bool Relu>() {
    return context.type(place) == Type::e4m3x2 ? pick.template operator()<e4m3, Relu>()
                                               : pick.template operator()<e5m2, Relu>();
  });
}

Result<Handler> bind_float8_of_floats(BindContext& context) {
  return for_float8(context, 0, []<class T, bool Relu>() {
    return Lanes<float8_of_floats<T, Relu>, uint16_t, float, float>::handler();
  });
}

Result<Handler> bind_float8_of_halves(BindContext& context) {
  return for_float8(
      context, 0, []<class T, bool Relu>() { return Lanes<float8_of_halves<T, Relu>, uint16_t, uint32_t>::handler(); });
}

Result<Handler> bind_halves_of_float8(BindContext& context) {
  return for_float8(context, 1, []<class T, bool Relu>() {
    return Lanes<semantics::float8x2_to_f16x2<T, Relu>, uint32_t, uint16_t>::handler();
  });
}

constexpr std::array kBindings = {
    Binding{"cvt.half", bind_half},
    Binding{"cvt.half_pair", bind_half_pair},
    Binding{"cvt.tf32", bind_tf32},
    Binding{"cvt.tf32.rna", bind_tf32_away},
    Binding{"cvt.fp8.f32", bind_float8_of_floats},
    Binding{"cvt.fp8.f16x2", bind_float8_of_halves},
    Binding{"cvt.f16x2.fp8", bind_halves_of_float8},
};

}  // namespace

std::span<const Binding> convert_narrow_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
