// SPDX-License-Identifier: MIT
// How a conversion runs. Where registers are as wide as their types and the form is common, it is a row runner like any
// other. Otherwise it goes step by step: every lane's source is cut and extended to 64 bits, a function converts all
// lanes, and the results, extended by their type, are cut to the destination's register. So one function serves 8-bit
// types, which have no registers of their own, and every register that is wider than its type.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "vgpu/execute/binding.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu {

// Converts kLanes values in place.
using ConvertValues = void (*)(uint64_t* values);

// The step-by-step handler. The source's type is type modifier 1, the operands are d and a.
Handler stepwise(BindContext& context, ConvertValues convert);

// A value among the low bits of a 64-bit word, and back; signed integers are sign-extended.
template <class T>
constexpr T value_in(uint64_t bits) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(bits);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits));
  } else if constexpr (semantics::kIsHalf<T>) {
    return T{static_cast<uint16_t>(bits)};
  } else {
    return static_cast<T>(bits);
  }
}

template <class T>
constexpr uint64_t word_of(T value) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<uint32_t>(value);
  } else if constexpr (semantics::kIsHalf<T>) {
    return value.bits;
  } else {
    return static_cast<uint64_t>(value);
  }
}

template <class D, class S, D (*F)(S)>
void convert_values(uint64_t* values) {
  for (int lane = 0; lane < kLanes; ++lane) values[lane] = word_of<D>(F(value_in<S>(values[lane])));
}

// d = F(a), common enough for a runner of its own.
template <class D, class S, D (*F)(S)>
Handler common_conversion(BindContext& context) {
  const bool exact_widths = context.bits(0) == int{8 * sizeof(D)} && context.bits(1) == int{8 * sizeof(S)};
  return exact_widths ? Lanes<F, D, S>::handler() : stepwise(context, &convert_values<D, S, F>);
}

// d = F(a), step by step.
template <class D, class S, D (*F)(S)>
Handler rare_conversion(BindContext& context) {
  return stepwise(context, &convert_values<D, S, F>);
}

}  // namespace assay::vgpu
