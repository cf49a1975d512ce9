// SPDX-License-Identifier: MIT
// neg, abs, min, max, copysign and testp of f32 and f64.
#include <array>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/execute/uniform_lanes.hpp"
#include "vgpu/semantics/compare.hpp"
#include "vgpu/semantics/float_arithmetic.hpp"

namespace assay::vgpu {
namespace {

Result<Handler> bind_neg_f32(BindContext& context) {
  return for_flag(context.has("ftz"), []<bool Ftz>() { return UnaryLanes<float, semantics::neg<Ftz>>::handler(); });
}

Result<Handler> bind_abs_f32(BindContext& context) {
  return for_flag(context.has("ftz"), []<bool Ftz>() { return UnaryLanes<float, semantics::abs<Ftz>>::handler(); });
}

Result<Handler> check_xorsign(const BindContext& context, Handler handler) {
  if (context.has("xorsign") != context.has("abs")) return context.error(".xorsign and .abs come together");
  return handler;
}

Result<Handler> bind_min_f32(BindContext& context) {
  const bool signs = context.has("xorsign");
  return check_xorsign(context, for_flags(context.has("ftz"), context.has("NaN"), [&]<bool Ftz, bool Nan>() {
                         return signs ? BinaryLanes<float, semantics::min_xorsign_abs<Ftz, Nan>>::handler()
                                      : BinaryLanes<float, semantics::min<Ftz, Nan>>::handler();
                       }));
}

Result<Handler> bind_max_f32(BindContext& context) {
  const bool signs = context.has("xorsign");
  return check_xorsign(context, for_flags(context.has("ftz"), context.has("NaN"), [&]<bool Ftz, bool Nan>() {
                         return signs ? BinaryLanes<float, semantics::max_xorsign_abs<Ftz, Nan>>::handler()
                                      : BinaryLanes<float, semantics::max<Ftz, Nan>>::handler();
                       }));
}

template <double (*F)(double)>
Result<Handler> bind_unary_f64(BindContext&) {
  return UnaryLanes<double, F>::handler();
}

template <double (*F)(double, double)>
Result<Handler> bind_binary_f64(BindContext&) {
  return BinaryLanes<double, F>::handler();
}

Result<Handler> bind_copysign(BindContext& context) {
  return context.type() == ptx::Type::f64 ? BinaryLanes<double, semantics::copysign>::handler()
                                          : BinaryLanes<float, semantics::copysign>::handler();
}

template <semantics::Property P>
Handler property_handler(ptx::Type type) {
  return type == ptx::Type::f64 ? PredicateLanes<semantics::has_property<P, double>, double>::handler()
                                : PredicateLanes<semantics::has_property<P, float>, float>::handler();
}

Result<Handler> bind_testp(BindContext& context) {
  using enum semantics::Property;
  const ptx::Type type = context.type();
  if (context.has("finite")) return property_handler<finite>(type);
  if (context.has("infinite")) return property_handler<infinite>(type);
  if (context.has("number")) return property_handler<number>(type);
  if (context.has("notanumber")) return property_handler<notanumber>(type);
  if (context.has("normal")) return property_handler<normal>(type);
  return property_handler<subnormal>(type);
}

constexpr std::array kBindings = {
    Binding{"neg.f32", bind_neg_f32},   Binding{"neg.f64", bind_unary_f64<semantics::neg>},
    Binding{"abs.f32", bind_abs_f32},   Binding{"abs.f64", bind_unary_f64<semantics::abs>},
    Binding{"min.f32", bind_min_f32},   Binding{"min.f64", bind_binary_f64<semantics::min>},
    Binding{"max.f32", bind_max_f32},   Binding{"max.f64", bind_binary_f64<semantics::max>},
    Binding{"copysign", bind_copysign}, Binding{"testp", bind_testp},
};

}  // namespace

std::span<const Binding> float_sign_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
