// SPDX-License-Identifier: MIT
// div, rcp and sqrt with a rounding: exact to the last bit.
#include <array>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/execute/uniform_lanes.hpp"
#include "vgpu/semantics/float_arithmetic.hpp"

namespace assay::vgpu {
namespace {

using semantics::Rounding;

template <class Pick>
Result<Handler> for_rounding_ftz(const BindContext& context, Pick pick) {
  return for_rounding(context, [&]<Rounding R>() {
    return for_flag(context.has("ftz"), [&]<bool Ftz>() { return pick.template operator()<R, Ftz>(); });
  });
}

Result<Handler> bind_div_f32(BindContext& context) {
  return for_rounding_ftz(context,
                          []<Rounding R, bool Ftz>() { return BinaryLanes<float, semantics::div<R, Ftz>>::handler(); });
}

Result<Handler> bind_rcp_f32(BindContext& context) {
  return for_rounding_ftz(context,
                          []<Rounding R, bool Ftz>() { return UnaryLanes<float, semantics::rcp<R, Ftz>>::handler(); });
}

Result<Handler> bind_sqrt_f32(BindContext& context) {
  return for_rounding_ftz(context,
                          []<Rounding R, bool Ftz>() { return UnaryLanes<float, semantics::sqrt<R, Ftz>>::handler(); });
}

Result<Handler> bind_div_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return BinaryLanes<double, semantics::div<R>>::handler(); });
}

Result<Handler> bind_rcp_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return UnaryLanes<double, semantics::rcp<R>>::handler(); });
}

Result<Handler> bind_sqrt_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return UnaryLanes<double, semantics::sqrt<R>>::handler(); });
}

constexpr std::array kBindings = {
    Binding{"div.f32", bind_div_f32}, Binding{"div.f64", bind_div_f64},   Binding{"rcp.f32", bind_rcp_f32},
    Binding{"rcp.f64", bind_rcp_f64}, Binding{"sqrt.f32", bind_sqrt_f32}, Binding{"sqrt.f64", bind_sqrt_f64},
};

}  // namespace

std::span<const Binding> float_division_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
