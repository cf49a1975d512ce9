// SPDX-License-Identifier: MIT
// Runners for f16 and bf16: one value in a 16-bit register, or two in a 32-bit register.
#pragma once

#include "vgpu/execute/binding.hpp"
#include "vgpu/execute/uniform_lanes.hpp"
#include "vgpu/semantics/half_arithmetic.hpp"

namespace assay::vgpu {

inline bool is_pair(const BindContext& context) {
  return context.type() == ptx::Type::f16x2 || context.type() == ptx::Type::bf16x2;
}

inline bool is_f16(const BindContext& context) {
  return context.type() == ptx::Type::f16 || context.type() == ptx::Type::f16x2;
}

// The same function on both halves. T is f16 or bf16.
template <class T, T (*F)(T)>
constexpr uint32_t on_pair(uint32_t a) {
  return semantics::packed<T>(F, a);
}
template <class T, T (*F)(T, T)>
constexpr uint32_t on_pair(uint32_t a, uint32_t b) {
  return semantics::packed<T>(F, a, b);
}
template <class T, T (*F)(T, T, T)>
constexpr uint32_t on_pair(uint32_t a, uint32_t b, uint32_t c) {
  return semantics::packed<T>(F, a, b, c);
}

template <class T, T (*F)(T)>
Handler unary_half(const BindContext& context) {
  return is_pair(context) ? UnaryLanes<uint32_t, on_pair<T, F>>::handler() : UnaryLanes<T, F>::handler();
}
template <class T, T (*F)(T, T)>
Handler binary_half(const BindContext& context) {
  return is_pair(context) ? BinaryLanes<uint32_t, on_pair<T, F>>::handler() : BinaryLanes<T, F>::handler();
}
template <class T, T (*F)(T, T, T)>
Handler ternary_half(const BindContext& context) {
  return is_pair(context) ? TernaryLanes<uint32_t, on_pair<T, F>>::handler() : TernaryLanes<T, F>::handler();
}

}  // namespace assay::vgpu
