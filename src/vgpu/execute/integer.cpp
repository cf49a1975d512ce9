// SPDX-License-Identifier: MIT
// Integer arithmetic. Carry chains are in carry.cpp.
#include "vgpu/semantics/integer.hpp"

#include <array>

#include "vgpu/execute/carry.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/type_dispatch.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

// Pure functions as types, so that one binder serves them all.
#define ASSAY_OPERATION(NAME, FUNCTION)               \
  struct NAME {                                       \
    template <class T>                                \
    static constexpr auto function = &s::FUNCTION<T>; \
  }
ASSAY_OPERATION(Add, wrapping_add);
ASSAY_OPERATION(Subtract, wrapping_sub);
ASSAY_OPERATION(MultiplyLow, mul_lo);
ASSAY_OPERATION(MultiplyHigh, mul_hi);
ASSAY_OPERATION(MultiplyAddLow, mad_lo);
ASSAY_OPERATION(MultiplyAddHigh, mad_hi);
ASSAY_OPERATION(Divide, div);
ASSAY_OPERATION(Remainder, rem);
ASSAY_OPERATION(Absolute, abs_integer);
ASSAY_OPERATION(Negate, neg_integer);
ASSAY_OPERATION(Distance, sad);
#undef ASSAY_OPERATION
struct Minimum {
  template <class T>
  static constexpr auto function = &s::min_integer<false, T>;
};
struct Maximum {
  template <class T>
  static constexpr auto function = &s::max_integer<false, T>;
};

template <class Operation, class T>
Handler handler_of(T (*)(T)) {
  return Lanes<Operation::template function<T>, T, T>::handler();
}
template <class Operation, class T>
Handler handler_of(T (*)(T, T)) {
  return Lanes<Operation::template function<T>, T, T, T>::handler();
}
template <class Operation, class T>
Handler handler_of(T (*)(T, T, T)) {
  return Lanes<Operation::template function<T>, T, T, T, T>::handler();
}

// Any operation whose operands and result all have the instruction's type.
template <class Operation>
Result<Handler> bind(BindContext& context) {
  return for_integer(context, context.type(), [](auto zero) {
    using T = decltype(zero);
    return handler_of<Operation, T>(Operation::template function<T>);
  });
}

template <auto F>
Result<Handler> bind_s32_2(BindContext&) {
  return Lanes<F, int32_t, int32_t, int32_t>::handler();
}
template <auto F>
Result<Handler> bind_s32_3(BindContext&) {
  return Lanes<F, int32_t, int32_t, int32_t, int32_t>::handler();
}

template <class Pick>
Result<Handler> for_narrow_integer(BindContext& context, Pick pick) {
  switch (context.type()) {
    case ptx::Type::u16:
      return pick(uint16_t{});
    case ptx::Type::s16:
      return pick(int16_t{});
    case ptx::Type::u32:
      return pick(uint32_t{});
    case ptx::Type::s32:
      return pick(int32_t{});
    default:
      return context.error("this type has no wide product");
  }
}

Result<Handler> bind_multiply_wide(BindContext& context) {
  return for_narrow_integer(context, [](auto zero) {
    using T = decltype(zero);
    return Lanes<s::mul_wide<T>, s::Doubled<T>, T, T>::handler();
  });
}

Result<Handler> bind_multiply_add_wide(BindContext& context) {
  return for_narrow_integer(context, [](auto zero) {
    using T = decltype(zero);
    return Lanes<s::mad_wide<T>, s::Doubled<T>, T, T, s::Doubled<T>>::handler();
  });
}

template <class T>
Handler multiply24(bool high) {
  return high ? Lanes<s::mul24_hi<T>, T, T, T>::handler() : Lanes<s::mul24_lo<T>, T, T, T>::handler();
}
template <class T>
Handler multiply_add24(bool high) {
  return high ? Lanes<s::mad24_hi<T>, T, T, T, T>::handler() : Lanes<s::mad24_lo<T>, T, T, T, T>::handler();
}
Result<Handler> bind_multiply24(BindContext& context) {
  return context.type() == ptx::Type::u32 ? multiply24<uint32_t>(context.has("hi"))
                                          : multiply24<int32_t>(context.has("hi"));
}
Result<Handler> bind_multiply_add24(BindContext& context) {
  return context.type() == ptx::Type::u32 ? multiply_add24<uint32_t>(context.has("hi"))
                                          : multiply_add24<int32_t>(context.has("hi"));
}

// Both halves of a register.
template <class T, bool Relu>
uint32_t smaller_halves(uint32_t a, uint32_t b) {
  return s::packed16<T>([](T x, T y) { return s::min_integer<Relu, T>(x, y); }, a, b);
}
template <class T, bool Relu>
uint32_t larger_halves(uint32_t a, uint32_t b) {
  return s::packed16<T>([](T x, T y) { return s::max_integer<Relu, T>(x, y); }, a, b);
}
uint32_t add_halves(uint32_t a, uint32_t b) {
  return s::packed16<uint16_t>([](uint16_t x, uint16_t y) { return s::wrapping_add(x, y); }, a, b);
}

template <auto F>
Handler packed_handler() {
  return Lanes<F, uint32_t, uint32_t, uint32_t>::handler();
}
Result<Handler> bind_smaller_halves(BindContext& context) {
  if (context.type() == ptx::Type::u16x2) return packed_handler<smaller_halves<uint16_t, false>>();
  return context.has("relu") ? packed_handler<smaller_halves<int16_t, true>>()
                             : packed_handler<smaller_halves<int16_t, false>>();
}
Result<Handler> bind_larger_halves(BindContext& context) {
  if (context.type() == ptx::Type::u16x2) return packed_handler<larger_halves<uint16_t, false>>();
  return context.has("relu") ? packed_handler<larger_halves<int16_t, true>>()
                             : packed_handler<larger_halves<int16_t, false>>();
}
Result<Handler> bind_add_halves(BindContext&) {
  return packed_handler<add_halves>();
}

template <auto F>
Handler dot_handler() {
  return Lanes<F, uint32_t, uint32_t, uint32_t, uint32_t>::handler();
}
Result<Handler> bind_dp4a(BindContext& context) {
  const bool a = context.type(0) == ptx::Type::s32;
  const bool b = context.type(1) == ptx::Type::s32;
  if (a) return b ? dot_handler<s::dp4a<int32_t, int32_t>>() : dot_handler<s::dp4a<int32_t, uint32_t>>();
  return b ? dot_handler<s::dp4a<uint32_t, int32_t>>() : dot_handler<s::dp4a<uint32_t, uint32_t>>();
}
template <bool High>
Handler dp2a_handler(bool a, bool b) {
  if (a) return b ? dot_handler<s::dp2a<int32_t, int32_t, High>>() : dot_handler<s::dp2a<int32_t, uint32_t, High>>();
  return b ? dot_handler<s::dp2a<uint32_t, int32_t, High>>() : dot_handler<s::dp2a<uint32_t, uint32_t, High>>();
}
Result<Handler> bind_dp2a(BindContext& context) {
  const bool a = context.type(0) == ptx::Type::s32;
  const bool b = context.type(1) == ptx::Type::s32;
  return context.has("hi") ? dp2a_handler<true>(a, b) : dp2a_handler<false>(a, b);
}

constexpr std::array kBindings = {
    Binding{"add.int", bind<Add>},
    Binding{"add.sat.s32", bind_s32_2<s::add_sat>},
    Binding{"sub.int", bind<Subtract>},
    Binding{"sub.sat.s32", bind_s32_2<s::sub_sat>},
    Binding{"mul.lo", bind<MultiplyLow>},
    Binding{"mul.hi", bind<MultiplyHigh>},
    Binding{"mul.wide", bind_multiply_wide},
    Binding{"mad.lo", bind<MultiplyAddLow>},
    Binding{"mad.hi", bind<MultiplyAddHigh>},
    Binding{"mad.hi.sat.s32", bind_s32_3<s::mad_hi_sat>},
    Binding{"mad.wide", bind_multiply_add_wide},
    Binding{"mul24", bind_multiply24},
    Binding{"mad24", bind_multiply_add24},
    Binding{"mad24.hi.sat.s32", bind_s32_3<s::mad24_hi_sat>},
    Binding{"div.int", bind<Divide>},
    Binding{"rem", bind<Remainder>},
    Binding{"abs.int", bind<Absolute>},
    Binding{"neg.int", bind<Negate>},
    Binding{"min.int", bind<Minimum>},
    Binding{"max.int", bind<Maximum>},
    Binding{"min.relu", bind_s32_2<s::min_integer<true, int32_t>>},
    Binding{"max.relu", bind_s32_2<s::max_integer<true, int32_t>>},
    Binding{"min.x2", bind_smaller_halves},
    Binding{"max.x2", bind_larger_halves},
    Binding{"add.x2", bind_add_halves},
    Binding{"sad", bind<Distance>},
    Binding{"dp4a", bind_dp4a},
    Binding{"dp2a", bind_dp2a},
    Binding{"add.cc", bind_add_carry},
    Binding{"addc", bind_add_carry},
    Binding{"sub.cc", bind_subtract_borrow},
    Binding{"subc", bind_subtract_borrow},
    Binding{"mad.cc", bind_multiply_add_carry},
    Binding{"madc", bind_multiply_add_carry},
};

}  // namespace

std::span<const Binding> integer_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
