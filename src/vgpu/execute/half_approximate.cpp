// SPDX-License-Identifier: MIT
// ex2 and tanh of f16 and bf16, single and in pairs.
#include <array>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/half_lanes.hpp"
#include "vgpu/semantics/approximate.hpp"

namespace assay::vgpu {
namespace {

using semantics::bf16;
using semantics::f16;

template <class T, T (*F)(T)>
Result<Handler> bind_unary(BindContext& context) {
  return unary_half<T, F>(context);
}

Result<Handler> bind_tanh(BindContext& context) {
  return is_f16(context) ? unary_half<f16, semantics::half_tanh_approx<f16>>(context)
                         : unary_half<bf16, semantics::half_tanh_approx<bf16>>(context);
}

constexpr std::array kBindings = {
    Binding{"ex2.f16", bind_unary<f16, semantics::half_ex2_approx<f16, false>>},
    Binding{"ex2.bf16", bind_unary<bf16, semantics::half_ex2_approx<bf16, true>>},
    Binding{"tanh.half", bind_tanh},
};

}  // namespace

std::span<const Binding> half_approximate_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
