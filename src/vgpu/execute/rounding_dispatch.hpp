// SPDX-License-Identifier: MIT
// From modifiers to template arguments: `pick` is a lambda with template parameters, called with those that the
// instruction's text asks for.
#pragma once

#include "vgpu/execute/binding.hpp"
#include "vgpu/semantics/float_bits.hpp"

namespace assay::vgpu {

// pick<Flag>().
template <class Pick>
auto for_flag(bool flag, Pick pick) {
  return flag ? pick.template operator()<true>() : pick.template operator()<false>();
}

// pick<R>(): .rn .rz .rm .rp, or .rni .rzi .rmi .rpi; to nearest where the text has none of them.
template <class Pick>
auto for_rounding(const BindContext& context, Pick pick) {
  using enum semantics::Rounding;
  if (context.has("rz") || context.has("rzi")) return pick.template operator()<rz>();
  if (context.has("rm") || context.has("rmi")) return pick.template operator()<rm>();
  if (context.has("rp") || context.has("rpi")) return pick.template operator()<rp>();
  return pick.template operator()<rn>();
}

// pick<R, Ftz, Sat>(): what f32 arithmetic may have.
template <class Pick>
auto for_rounding_ftz_sat(const BindContext& context, Pick pick) {
  return for_rounding(context, [&]<semantics::Rounding R>() {
    return for_flag(context.has("ftz"), [&]<bool Ftz>() {
      return for_flag(context.has("sat"), [&]<bool Sat>() { return pick.template operator()<R, Ftz, Sat>(); });
    });
  });
}

// pick<First, Second>(): two flags.
template <class Pick>
auto for_flags(bool first, bool second, Pick pick) {
  return for_flag(first, [&]<bool First>() {
    return for_flag(second, [&]<bool Second>() { return pick.template operator()<First, Second>(); });
  });
}

}  // namespace assay::vgpu
