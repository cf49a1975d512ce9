// SPDX-License-Identifier: MIT
// cvt between integers and floats.
#include <array>

#include "vgpu/execute/conversion.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/semantics/convert.hpp"

namespace assay::vgpu {
namespace {

using semantics::bf16;
using semantics::f16;
using semantics::Rounding;

// --- float to integer -----------------------------------------------------------------------------------------------

// .sat changes nothing: the result is clamped in any case.
template <class D, class S, Rounding R, bool Ftz>
Handler to_integer(BindContext& context) {
  constexpr auto kConvert = semantics::float_to_integer<D, R, Ftz, S>;
  constexpr bool kCommon = sizeof(D) == 4 && !std::is_same_v<S, bf16>;
  if constexpr (kCommon) {
    return common_conversion<D, S, kConvert>(context);
  } else {
    return rare_conversion<D, S, kConvert>(context);
  }
}

template <class D, class S, bool Ftz>
Handler round_to_integer(BindContext& context) {
  return for_rounding(context, [&]<Rounding R>() { return to_integer<D, S, R, Ftz>(context); });
}

template <class D>
Result<Handler> bind_to_integer(BindContext& context) {
  switch (context.type(1)) {
    case ptx::Type::f16:
      return round_to_integer<D, f16, false>(context);
    case ptx::Type::bf16:
      return round_to_integer<D, bf16, false>(context);
    case ptx::Type::f64:
      return round_to_integer<D, double, false>(context);
    case ptx::Type::f32:
      return context.has("ftz") ? round_to_integer<D, float, true>(context)
                                : round_to_integer<D, float, false>(context);
    default:
      return context.error("the source is not a float");
  }
}

Result<Handler> bind_float_to_integer(BindContext& context) {
  if (context.type(0) == ptx::Type::u8) return bind_to_integer<uint8_t>(context);
  if (context.type(0) == ptx::Type::s8) return bind_to_integer<int8_t>(context);
  return for_integer(context, context.type(0), [&](auto zero) { return bind_to_integer<decltype(zero)>(context); });
}

// --- integer to float -----------------------------------------------------------------------------------------------

template <class D, class S>
Handler to_float_common(BindContext& context) {
  return common_conversion<D, S, semantics::integer_to_float<D, Rounding::rn, false, S>>(context);
}

// The stepwise handler extends every source to 64 bits, so that only u64 is not an int64_t then.
template <class D>
Handler to_float_rare(BindContext& context) {
  return for_rounding(context, [&]<Rounding R>() {
    return for_flag(context.has("sat"), [&]<bool Sat>() {
      if (context.type(1) == ptx::Type::u64) {
        return rare_conversion<D, uint64_t, semantics::integer_to_float<D, R, Sat, uint64_t>>(context);
      }
      return rare_conversion<D, int64_t, semantics::integer_to_float<D, R, Sat, int64_t>>(context);
    });
  });
}

template <class D>
Result<Handler> bind_to_float(BindContext& context) {
  const int type_bits = ptx::info(context.type(1)).bits;
  const bool common = context.has("rn") && !context.has("sat") && type_bits == context.bits(1);
  if (!common) return to_float_rare<D>(context);
  return for_integer(context, context.type(1), [&](auto zero) { return to_float_common<D, decltype(zero)>(context); });
}

Result<Handler> bind_integer_to_float(BindContext& context) {
  switch (context.type(0)) {
    case ptx::Type::f16:
      return bind_to_float<f16>(context);
    case ptx::Type::bf16:
      return bind_to_float<bf16>(context);
    case ptx::Type::f32:
      return bind_to_float<float>(context);
    case ptx::Type::f64:
      return bind_to_float<double>(context);
    default:
      return context.error("the destination is not a float");
  }
}

constexpr std::array kBindings = {
    Binding{"cvt.float_to_int", bind_float_to_integer},
    Binding{"cvt.int_to_float", bind_integer_to_float},
};

}  // namespace

std::span<const Binding> convert_mixed_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
