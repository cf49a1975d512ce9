// SPDX-License-Identifier: MIT
// cvt from float to float: wider, narrower, to an integral value, and to the same type.
#include <array>

#include "vgpu/execute/conversion.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/semantics/convert.hpp"

namespace assay::vgpu {
namespace {

using ptx::Type;
using semantics::bf16;
using semantics::f16;
using semantics::Rounding;

// Two types as one value, for a switch.
constexpr int pair_of(Type to, Type from) {
  return static_cast<int>(to) * 256 + static_cast<int>(from);
}

Error unknown_pair(const BindContext& context) {
  return context.error("there is no such conversion between these types");
}

// --- wider ----------------------------------------------------------------------------------------------------------

template <class D, class S>
Handler widen(BindContext& context) {
  return for_flags(context.has("ftz"), context.has("sat"), [&]<bool Ftz, bool Sat>() {
    if constexpr (!Sat) {
      return common_conversion<D, S, semantics::widen<D, Ftz, Sat, S>>(context);
    } else {
      return rare_conversion<D, S, semantics::widen<D, Ftz, Sat, S>>(context);
    }
  });
}

// A rounding may be there for bf16; it has nothing to do.
Result<Handler> bind_widen(BindContext& context) {
  switch (pair_of(context.type(0), context.type(1))) {
    case pair_of(Type::f32, Type::f16):
      return widen<float, f16>(context);
    case pair_of(Type::f32, Type::bf16):
      return widen<float, bf16>(context);
    case pair_of(Type::f64, Type::f16):
      return widen<double, f16>(context);
    case pair_of(Type::f64, Type::bf16):
      return widen<double, bf16>(context);
    case pair_of(Type::f64, Type::f32):
      return widen<double, float>(context);
    default:
      return unknown_pair(context);
  }
}

// --- narrower -------------------------------------------------------------------------------------------------------

template <class D, class S, Rounding R, bool Ftz, bool Sat>
Handler narrow_to(BindContext& context) {
  constexpr auto kConvert = semantics::narrow_to<D, R, Ftz, Sat, false, S>;
  if constexpr (R == Rounding::rn && !Sat) {
    return common_conversion<D, S, kConvert>(context);
  } else {
    return rare_conversion<D, S, kConvert>(context);
  }
}

template <class D, class S>
Handler narrow(BindContext& context) {
  return for_rounding_ftz_sat(context,
                              [&]<Rounding R, bool Ftz, bool Sat>() { return narrow_to<D, S, R, Ftz, Sat>(context); });
}

template <Rounding R>
constexpr bf16 f16_to_bf16(f16 a) {
  return semantics::to_bf16<R>(to_float(a));
}
template <Rounding R>
constexpr f16 bf16_to_f16(bf16 a) {
  return semantics::to_f16<R>(to_float(a));
}

Result<Handler> bind_narrow(BindContext& context) {
  if (context.type(0) == Type::bf16 && context.has("sat")) return context.error("bf16 results have no .sat");
  switch (pair_of(context.type(0), context.type(1))) {
    case pair_of(Type::f32, Type::f64):
      return narrow<float, double>(context);
    case pair_of(Type::f16, Type::f64):
      return narrow<f16, double>(context);
    case pair_of(Type::bf16, Type::f64):
      return narrow<bf16, double>(context);
    case pair_of(Type::f16, Type::f32):
      return narrow<f16, float>(context);
    case pair_of(Type::bf16, Type::f32):
      return narrow<bf16, float>(context);
    case pair_of(Type::bf16, Type::f16):
      return for_rounding(context, [&]<Rounding R>() { return rare_conversion<bf16, f16, f16_to_bf16<R>>(context); });
    case pair_of(Type::f16, Type::bf16):
      return for_rounding(context, [&]<Rounding R>() { return rare_conversion<f16, bf16, bf16_to_f16<R>>(context); });
    default:
      return unknown_pair(context);
  }
}

// --- the same type --------------------------------------------------------------------------------------------------

template <class T, Rounding R, bool Sat>
constexpr T round_half(T a) {
  return semantics::round_float<R, Sat, T>(a);
}

template <class T>
Handler round_halves(BindContext& context) {
  return for_rounding(context, [&]<Rounding R>() {
    return for_flag(context.has("sat"),
                    [&]<bool Sat>() { return rare_conversion<T, T, round_half<T, R, Sat>>(context); });
  });
}

Handler round_f32(BindContext& context) {
  return for_rounding_ftz_sat(context, [&]<Rounding R, bool Ftz, bool Sat>() {
    if constexpr (!Sat) {
      return common_conversion<float, float, semantics::round_float<R, Ftz, Sat>>(context);
    } else {
      return rare_conversion<float, float, semantics::round_float<R, Ftz, Sat>>(context);
    }
  });
}

Handler round_f64(BindContext& context) {
  return for_rounding(context, [&]<Rounding R>() {
    return for_flag(context.has("sat"), [&]<bool Sat>() {
      return rare_conversion<double, double, semantics::round_float<R, Sat>>(context);
    });
  });
}

Result<Handler> bind_integral(BindContext& context) {
  switch (pair_of(context.type(0), context.type(1))) {
    case pair_of(Type::f32, Type::f32):
      return round_f32(context);
    case pair_of(Type::f64, Type::f64):
      return round_f64(context);
    case pair_of(Type::f16, Type::f16):
      return round_halves<f16>(context);
    case pair_of(Type::bf16, Type::bf16):
      return round_halves<bf16>(context);
    default:
      return unknown_pair(context);
  }
}

template <bool Sat>
constexpr double pass_double(double a) {
  if constexpr (Sat) return a > 0.0 ? a < 1.0 ? a : 1.0 : 0.0;
  return a;
}

template <class T, bool Sat>
constexpr T pass_half(T a) {
  return semantics::saturate_half<Sat>(a);
}

Result<Handler> bind_same(BindContext& context) {
  const bool sat = context.has("sat");
  switch (pair_of(context.type(0), context.type(1))) {
    case pair_of(Type::f32, Type::f32):
      return for_flags(context.has("ftz"), sat, [&]<bool Ftz, bool Sat>() {
        return common_conversion<float, float, semantics::pass_float<Ftz, Sat>>(context);
      });
    case pair_of(Type::f64, Type::f64):
      return for_flag(sat, [&]<bool Sat>() { return rare_conversion<double, double, pass_double<Sat>>(context); });
    case pair_of(Type::f16, Type::f16):
      return for_flag(sat, [&]<bool Sat>() { return rare_conversion<f16, f16, pass_half<f16, Sat>>(context); });
    case pair_of(Type::bf16, Type::bf16):
      return rare_conversion<bf16, bf16, pass_half<bf16, false>>(context);
    default:
      return unknown_pair(context);
  }
}

constexpr std::array kBindings = {
    Binding{"cvt.widen", bind_widen},       Binding{"cvt.f64.f32", bind_widen},
    Binding{"cvt.narrow.f64", bind_narrow}, Binding{"cvt.narrow.f32", bind_narrow},
    Binding{"cvt.bf16.f16", bind_narrow},   Binding{"cvt.f16.bf16", bind_narrow},
    Binding{"cvt.integral", bind_integral}, Binding{"cvt.same", bind_same},
};

}  // namespace

std::span<const Binding> convert_float_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
