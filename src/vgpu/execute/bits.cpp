// SPDX-License-Identifier: MIT
// Logic, shifts and bit fields.
#include "vgpu/semantics/bits.hpp"

#include <array>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/type_dispatch.hpp"

namespace assay::vgpu {
namespace {

namespace s = semantics;

template <class T>
constexpr T bit_and(T a, T b) {
  return static_cast<T>(a & b);
}
template <class T>
constexpr T bit_or(T a, T b) {
  return static_cast<T>(a | b);
}
template <class T>
constexpr T bit_xor(T a, T b) {
  return static_cast<T>(a ^ b);
}
template <class T>
constexpr T bit_not(T a) {
  return static_cast<T>(~a);
}
template <class T>
constexpr T is_zero(T a) {
  return a == 0 ? 1 : 0;
}

template <auto F>
void logic_of_predicates(Warp& warp, const Instruction& instruction) {
  store_predicate(warp, instruction.rows[0],
                  F(*warp.row<LaneMask>(instruction.rows[1]), *warp.row<LaneMask>(instruction.rows[2])));
}
template <auto F>
Result<Handler> bind_predicates(BindContext&) {
  return &logic_of_predicates<F>;
}
void not_predicate(Warp& warp, const Instruction& instruction) {
  store_predicate(warp, instruction.rows[0], ~*warp.row<LaneMask>(instruction.rows[1]));
}
Result<Handler> bind_not_predicate(BindContext&) {
  return &not_predicate;
}

#define ASSAY_BIND_BY_WIDTH(NAME, ...)                                        \
  Result<Handler> NAME(BindContext& context) {                                \
    return for_width(context, ptx::info(context.type()).bits, [](auto zero) { \
      using T = decltype(zero);                                               \
      return __VA_ARGS__::handler();                                          \
    });                                                                       \
  }
ASSAY_BIND_BY_WIDTH(bind_and, Lanes<bit_and<T>, T, T, T>)
ASSAY_BIND_BY_WIDTH(bind_or, Lanes<bit_or<T>, T, T, T>)
ASSAY_BIND_BY_WIDTH(bind_xor, Lanes<bit_xor<T>, T, T, T>)
ASSAY_BIND_BY_WIDTH(bind_not, Lanes<bit_not<T>, T, T>)
ASSAY_BIND_BY_WIDTH(bind_is_zero, Lanes<is_zero<T>, T, T>)
ASSAY_BIND_BY_WIDTH(bind_shift_left, Lanes<s::shl<T>, T, T, uint32_t>)
#undef ASSAY_BIND_BY_WIDTH

Result<Handler> bind_shift_right(BindContext& context) {
  const ptx::Type type = context.type();
  if (ptx::info(type).kind == ptx::TypeKind::bits) {
    return for_width(context, ptx::info(type).bits, [](auto zero) {
      using T = decltype(zero);
      return Lanes<s::shr<T>, T, T, uint32_t>::handler();
    });
  }
  return for_integer(context, type, [](auto zero) {
    using T = decltype(zero);
    return Lanes<s::shr<T>, T, T, uint32_t>::handler();
  });
}

template <auto F>
Handler word_handler_2() {
  return Lanes<F, uint32_t, uint32_t, uint32_t>::handler();
}
template <auto F>
Handler word_handler_3() {
  return Lanes<F, uint32_t, uint32_t, uint32_t, uint32_t>::handler();
}

Result<Handler> bind_funnel_shift(BindContext& context) {
  const bool clamp = context.has("clamp");
  if (context.has("l")) return clamp ? word_handler_3<s::shf_l<true>>() : word_handler_3<s::shf_l<false>>();
  return clamp ? word_handler_3<s::shf_r<true>>() : word_handler_3<s::shf_r<false>>();
}

Result<Handler> bind_lop3(BindContext&) {
  return Lanes<s::lop3, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>::handler();
}

// d|p = lop3(a, b, c, table), p joined with q.
template <bool Or>
void lop3_with_predicate(Warp& warp, const Instruction& instruction) {
  const uint32_t* rows = instruction.rows;
  const uint32_t* a = warp.row<uint32_t>(rows[2]);
  const uint32_t* b = warp.row<uint32_t>(rows[3]);
  const uint32_t* c = warp.row<uint32_t>(rows[4]);
  const uint32_t* table = warp.row<uint32_t>(rows[5]);
  const LaneMask q = *warp.row<LaneMask>(rows[6]);
  uint32_t* d = warp.row<uint32_t>(rows[0]);
  LaneMask nonzero = 0;
  for_each_lane(warp.mask, [&](int lane) {
    const uint32_t value = s::lop3(a[lane], b[lane], c[lane], table[lane]);
    d[lane] = value;
    nonzero |= static_cast<LaneMask>(value != 0) << lane;
  });
  if (rows[1] != kNoRow) store_predicate(warp, rows[1], Or ? nonzero | q : nonzero & q);
}
Result<Handler> bind_lop3_with_predicate(BindContext& context) {
  return context.has("or") ? &lop3_with_predicate<true> : &lop3_with_predicate<false>;
}

Result<Handler> bind_popc(BindContext& context) {
  if (context.type() == ptx::Type::b64) return Lanes<s::popc<uint64_t>, uint32_t, uint64_t>::handler();
  return Lanes<s::popc<uint32_t>, uint32_t, uint32_t>::handler();
}
Result<Handler> bind_clz(BindContext& context) {
  if (context.type() == ptx::Type::b64) return Lanes<s::clz<uint64_t>, uint32_t, uint64_t>::handler();
  return Lanes<s::clz<uint32_t>, uint32_t, uint32_t>::handler();
}
constexpr uint32_t reverse_word(uint32_t a) {
  return s::brev(a);
}
constexpr uint64_t reverse_long(uint64_t a) {
  return s::brev(a);
}
Result<Handler> bind_brev(BindContext& context) {
  if (context.type() == ptx::Type::b64) return Lanes<reverse_long, uint64_t, uint64_t>::handler();
  return Lanes<reverse_word, uint32_t, uint32_t>::handler();
}

template <bool ShiftAmount>
Result<Handler> bfind_handler(BindContext& context) {
  return for_integer(context, context.type(), [](auto zero) {
    using T = decltype(zero);
    return Lanes<s::bfind<ShiftAmount, T>, uint32_t, T>::handler();
  });
}
Result<Handler> bind_bfind(BindContext& context) {
  return context.has("shiftamt") ? bfind_handler<true>(context) : bfind_handler<false>(context);
}

Result<Handler> bind_fns(BindContext&) {
  return Lanes<s::fns, uint32_t, uint32_t, uint32_t, int32_t>::handler();
}
Result<Handler> bind_bfe(BindContext& context) {
  return for_integer(context, context.type(), [](auto zero) {
    using T = decltype(zero);
    return Lanes<s::bfe<T>, T, T, uint32_t, uint32_t>::handler();
  });
}
Result<Handler> bind_bfi(BindContext& context) {
  if (context.type() == ptx::Type::b64)
    return Lanes<s::bfi<uint64_t>, uint64_t, uint64_t, uint64_t, uint32_t, uint32_t>::handler();
  return Lanes<s::bfi<uint32_t>, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>::handler();
}
Result<Handler> bind_bmsk(BindContext& context) {
  return context.has("clamp") ? word_handler_2<s::bmsk<true>>() : word_handler_2<s::bmsk<false>>();
}

template <class T>
Handler szext_handler(bool clamp) {
  return clamp ? Lanes<s::szext<true, T>, T, T, uint32_t>::handler()
               : Lanes<s::szext<false, T>, T, T, uint32_t>::handler();
}
Result<Handler> bind_szext(BindContext& context) {
  return context.type() == ptx::Type::u32 ? szext_handler<uint32_t>(context.has("clamp"))
                                          : szext_handler<int32_t>(context.has("clamp"));
}

Result<Handler> bind_prmt(BindContext& context) {
  using Mode = s::PermuteMode;
  if (context.has("f4e")) return word_handler_3<s::prmt<Mode::f4e>>();
  if (context.has("b4e")) return word_handler_3<s::prmt<Mode::b4e>>();
  if (context.has("rc8")) return word_handler_3<s::prmt<Mode::rc8>>();
  if (context.has("ecl")) return word_handler_3<s::prmt<Mode::ecl>>();
  if (context.has("ecr")) return word_handler_3<s::prmt<Mode::ecr>>();
  if (context.has("rc16")) return word_handler_3<s::prmt<Mode::rc16>>();
  return word_handler_3<s::prmt<Mode::index>>();
}

constexpr std::array kBindings = {
    Binding{"and.pred", bind_predicates<bit_and<LaneMask>>},
    Binding{"or.pred", bind_predicates<bit_or<LaneMask>>},
    Binding{"xor.pred", bind_predicates<bit_xor<LaneMask>>},
    Binding{"not.pred", bind_not_predicate},
    Binding{"and", bind_and},
    Binding{"or", bind_or},
    Binding{"xor", bind_xor},
    Binding{"not", bind_not},
    Binding{"cnot", bind_is_zero},
    Binding{"shl", bind_shift_left},
    Binding{"shr", bind_shift_right},
    Binding{"shf", bind_funnel_shift},
    Binding{"lop3", bind_lop3},
    Binding{"lop3.bool", bind_lop3_with_predicate},
    Binding{"popc", bind_popc},
    Binding{"clz", bind_clz},
    Binding{"brev", bind_brev},
    Binding{"bfind", bind_bfind},
    Binding{"fns", bind_fns},
    Binding{"bfe", bind_bfe},
    Binding{"bfi", bind_bfi},
    Binding{"bmsk", bind_bmsk},
    Binding{"szext", bind_szext},
    Binding{"prmt", bind_prmt},
};

}  // namespace

std::span<const Binding> bits_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
