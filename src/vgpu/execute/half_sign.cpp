// SPDX-License-Identifier: MIT
// neg, abs, min and max of f16 and bf16, single and in pairs.
#include <array>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/half_lanes.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"

namespace assay::vgpu {
namespace {

using semantics::bf16;
using semantics::f16;

Result<Handler> bind_neg_f16(BindContext& context) {
  return for_flag(context.has("ftz"),
                  [&]<bool Ftz>() { return unary_half<f16, semantics::half_neg<f16, Ftz>>(context); });
}

Result<Handler> bind_abs_f16(BindContext& context) {
  return for_flag(context.has("ftz"),
                  [&]<bool Ftz>() { return unary_half<f16, semantics::half_abs<f16, Ftz>>(context); });
}

template <bf16 (*F)(bf16)>
Result<Handler> bind_unary_bf16(BindContext& context) {
  return unary_half<bf16, F>(context);
}

template <class T, bool Ftz, bool Nan>
Handler smaller(const BindContext& context) {
  if (context.has("xorsign")) return binary_half<T, semantics::half_min_xorsign_abs<T, Ftz, Nan>>(context);
  return binary_half<T, semantics::half_min<T, Ftz, Nan>>(context);
}

template <class T, bool Ftz, bool Nan>
Handler larger(const BindContext& context) {
  if (context.has("xorsign")) return binary_half<T, semantics::half_max_xorsign_abs<T, Ftz, Nan>>(context);
  return binary_half<T, semantics::half_max<T, Ftz, Nan>>(context);
}

Result<void> check_xorsign(const BindContext& context) {
  if (context.has("xorsign") != context.has("abs")) return context.error(".xorsign and .abs come together");
  return {};
}

Result<Handler> bind_min_f16(BindContext& context) {
  ASSAY_CHECK(check_xorsign(context));
  return for_flags(context.has("ftz"), context.has("NaN"),
                   [&]<bool Ftz, bool Nan>() { return smaller<f16, Ftz, Nan>(context); });
}

Result<Handler> bind_max_f16(BindContext& context) {
  ASSAY_CHECK(check_xorsign(context));
  return for_flags(context.has("ftz"), context.has("NaN"),
                   [&]<bool Ftz, bool Nan>() { return larger<f16, Ftz, Nan>(context); });
}

Result<Handler> bind_min_bf16(BindContext& context) {
  ASSAY_CHECK(check_xorsign(context));
  return for_flag(context.has("NaN"), [&]<bool Nan>() { return smaller<bf16, false, Nan>(context); });
}

Result<Handler> bind_max_bf16(BindContext& context) {
  ASSAY_CHECK(check_xorsign(context));
  return for_flag(context.has("NaN"), [&]<bool Nan>() { return larger<bf16, false, Nan>(context); });
}

constexpr std::array kBindings = {
    Binding{"neg.f16", bind_neg_f16}, Binding{"neg.bf16", bind_unary_bf16<semantics::half_neg<bf16>>},
    Binding{"abs.f16", bind_abs_f16}, Binding{"abs.bf16", bind_unary_bf16<semantics::half_abs<bf16>>},
    Binding{"min.f16", bind_min_f16}, Binding{"min.bf16", bind_min_bf16},
    Binding{"max.f16", bind_max_f16}, Binding{"max.bf16", bind_max_bf16},
};

}  // namespace

std::span<const Binding> half_sign_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
