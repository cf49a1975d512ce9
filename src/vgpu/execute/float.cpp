// SPDX-License-Identifier: MIT
// add, sub, mul, fma and mad of f32 and f64.
#include <array>
#include <vector>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/rounding_dispatch.hpp"
#include "vgpu/execute/uniform_lanes.hpp"
#include "vgpu/semantics/float_arithmetic.hpp"

namespace assay::vgpu {
namespace {

using semantics::Rounding;

Result<Handler> bind_add_f32(BindContext& context) {
  return for_rounding_ftz_sat(context, []<Rounding R, bool Ftz, bool Sat>() {
    return BinaryLanes<float, semantics::add<R, Ftz, Sat>>::handler();
  });
}

Result<Handler> bind_sub_f32(BindContext& context) {
  return for_rounding_ftz_sat(context, []<Rounding R, bool Ftz, bool Sat>() {
    return BinaryLanes<float, semantics::sub<R, Ftz, Sat>>::handler();
  });
}

Result<Handler> bind_mul_f32(BindContext& context) {
  return for_rounding_ftz_sat(context, []<Rounding R, bool Ftz, bool Sat>() {
    return BinaryLanes<float, semantics::mul<R, Ftz, Sat>>::handler();
  });
}

Result<Handler> bind_fma_f32(BindContext& context) {
  return for_rounding_ftz_sat(context, []<Rounding R, bool Ftz, bool Sat>() {
    return TernaryLanes<float, semantics::fma<R, Ftz, Sat>>::handler();
  });
}

Result<Handler> bind_add_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return BinaryLanes<double, semantics::add<R>>::handler(); });
}

Result<Handler> bind_sub_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return BinaryLanes<double, semantics::sub<R>>::handler(); });
}

Result<Handler> bind_mul_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return BinaryLanes<double, semantics::mul<R>>::handler(); });
}

Result<Handler> bind_fma_f64(BindContext& context) {
  return for_rounding(context, []<Rounding R>() { return TernaryLanes<double, semantics::fma<R>>::handler(); });
}

constexpr std::array kArithmetic = {
    Binding{"add.f32", bind_add_f32}, Binding{"add.f64", bind_add_f64}, Binding{"sub.f32", bind_sub_f32},
    Binding{"sub.f64", bind_sub_f64}, Binding{"mul.f32", bind_mul_f32}, Binding{"mul.f64", bind_mul_f64},
    Binding{"fma.f32", bind_fma_f32}, Binding{"fma.f64", bind_fma_f64}, Binding{"mad.f32", bind_fma_f32},
    Binding{"mad.f64", bind_fma_f64},
};

}  // namespace

std::span<const Binding> float_bindings() {
  static const std::vector<Binding> kBindings = [] {
    std::vector<Binding> all(kArithmetic.begin(), kArithmetic.end());
    for (const auto part : {float_division_bindings(), float_approximate_bindings(), float_sign_bindings()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }();
  return kBindings;
}

}  // namespace assay::vgpu
