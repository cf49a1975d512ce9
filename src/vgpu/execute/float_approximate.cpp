// SPDX-License-Identifier: MIT
// The .approx and .full instructions of f32 and f64.
#include <array>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/execute/uniform_lanes.hpp"
#include "vgpu/semantics/approximate.hpp"

namespace assay::vgpu {
namespace {

template <float (*Plain)(float), float (*Flushing)(float)>
Result<Handler> bind_unary(BindContext& context) {
  return context.has("ftz") ? UnaryLanes<float, Flushing>::handler() : UnaryLanes<float, Plain>::handler();
}

template <float (*Plain)(float, float), float (*Flushing)(float, float)>
Result<Handler> bind_binary(BindContext& context) {
  return context.has("ftz") ? BinaryLanes<float, Flushing>::handler() : BinaryLanes<float, Plain>::handler();
}

Result<Handler> bind_tanh(BindContext&) {
  return UnaryLanes<float, semantics::tanh_approx>::handler();
}

Result<Handler> bind_rcp_f64(BindContext&) {
  return UnaryLanes<double, semantics::rcp_approx_ftz>::handler();
}

Result<Handler> bind_rsqrt_f64(BindContext& context) {
  return context.has("ftz") ? UnaryLanes<double, semantics::rsqrt_approx_ftz>::handler()
                            : UnaryLanes<double, semantics::rsqrt_approx>::handler();
}

constexpr std::array kBindings = {
    Binding{"div.approx", bind_binary<semantics::div_approx<false>, semantics::div_approx<true>>},
    Binding{"div.full", bind_binary<semantics::div_full<false>, semantics::div_full<true>>},
    Binding{"rcp.approx", bind_unary<semantics::rcp_approx<false>, semantics::rcp_approx<true>>},
    Binding{"rcp.approx.f64", bind_rcp_f64},
    Binding{"sqrt.approx", bind_unary<semantics::sqrt_approx<false>, semantics::sqrt_approx<true>>},
    Binding{"rsqrt.approx", bind_unary<semantics::rsqrt_approx<false>, semantics::rsqrt_approx<true>>},
    Binding{"rsqrt.approx.f64", bind_rsqrt_f64},
    Binding{"sin", bind_unary<semantics::sin_approx<false>, semantics::sin_approx<true>>},
    Binding{"cos", bind_unary<semantics::cos_approx<false>, semantics::cos_approx<true>>},
    Binding{"lg2", bind_unary<semantics::lg2_approx<false>, semantics::lg2_approx<true>>},
    Binding{"ex2", bind_unary<semantics::ex2_approx<false>, semantics::ex2_approx<true>>},
    Binding{"tanh", bind_tanh},
};

}  // namespace

std::span<const Binding> float_approximate_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
