// SPDX-License-Identifier: MIT
// add, sub, mul and fma of f16 and bf16, single and in pairs.
#include <array>
#include <vector>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/half_lanes.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"

namespace assay::vgpu {
namespace {

using semantics::bf16;
using semantics::f16;

Result<Handler> bind_add_f16(BindContext& context) {
  return for_flags(context.has("ftz"), context.has("sat"),
                   [&]<bool Ftz, bool Sat>() { return binary_half<f16, semantics::half_add<f16, Ftz, Sat>>(context); });
}

Result<Handler> bind_sub_f16(BindContext& context) {
  return for_flags(context.has("ftz"), context.has("sat"),
                   [&]<bool Ftz, bool Sat>() { return binary_half<f16, semantics::half_sub<f16, Ftz, Sat>>(context); });
}

Result<Handler> bind_mul_f16(BindContext& context) {
  return for_flags(context.has("ftz"), context.has("sat"),
                   [&]<bool Ftz, bool Sat>() { return binary_half<f16, semantics::half_mul<f16, Ftz, Sat>>(context); });
}

Result<Handler> bind_fma_f16(BindContext& context) {
  const bool sat = context.has("sat");
  const bool relu = context.has("relu");
  if (sat && relu) return context.error(".sat and .relu exclude each other");
  return for_flag(context.has("ftz"), [&]<bool Ftz>() {
    if (sat) return ternary_half<f16, semantics::half_fma<f16, Ftz, true, false>>(context);
    if (relu) return ternary_half<f16, semantics::half_fma<f16, Ftz, false, true>>(context);
    return ternary_half<f16, semantics::half_fma<f16, Ftz, false, false>>(context);
  });
}

template <bf16 (*F)(bf16, bf16)>
Result<Handler> bind_binary_bf16(BindContext& context) {
  return binary_half<bf16, F>(context);
}

Result<Handler> bind_fma_bf16(BindContext& context) {
  return for_flag(context.has("relu"), [&]<bool Relu>() {
    return ternary_half<bf16, semantics::half_fma<bf16, false, false, Relu>>(context);
  });
}

constexpr std::array kArithmetic = {
    Binding{"add.f16", bind_add_f16}, Binding{"add.bf16", bind_binary_bf16<semantics::half_add<bf16>>},
    Binding{"sub.f16", bind_sub_f16}, Binding{"sub.bf16", bind_binary_bf16<semantics::half_sub<bf16>>},
    Binding{"mul.f16", bind_mul_f16}, Binding{"mul.bf16", bind_binary_bf16<semantics::half_mul<bf16>>},
    Binding{"fma.f16", bind_fma_f16}, Binding{"fma.bf16", bind_fma_bf16},
};

}  // namespace

std::span<const Binding> half_bindings() {
  static const std::vector<Binding> kBindings = [] {
    std::vector<Binding> all(kArithmetic.begin(), kArithmetic.end());
    for (const auto part : {half_sign_bindings(), half_approximate_bindings()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kBindings;
}

}  // namespace assay::vgpu
