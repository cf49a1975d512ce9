// SPDX-License-Identifier: MIT
// cvt from integer to integer, and cvt.pack.
#include <array>

#include "vgpu/execute/conversion.hpp"
#include "vgpu/execute/families.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/semantics/convert.hpp"

namespace assay::vgpu {
namespace {

template <class D, class S>
constexpr D cut_or_extend(S a) {
  return static_cast<D>(a);
}

// u8 ... s64 as the destination.
template <class Pick>
Result<Handler> for_destination(BindContext& context, Pick pick) {
  if (context.type(0) == ptx::Type::u8) return pick(uint8_t{});
  if (context.type(0) == ptx::Type::s8) return pick(int8_t{});
  return for_integer(context, context.type(0), pick);
}

// The stepwise handler extends every source to 64 bits, so that only u64 is not an int64_t then.
template <class D>
Handler convert_step(BindContext& context) {
  if (!context.has("sat")) return rare_conversion<D, int64_t, cut_or_extend<D, int64_t>>(context);
  if (context.type(1) == ptx::Type::u64) {
    return rare_conversion<D, uint64_t, semantics::saturate_integer<D, uint64_t>>(context);
  }
  return rare_conversion<D, int64_t, semantics::saturate_integer<D, int64_t>>(context);
}

// The destination's sign does not matter where its register has its width: the bits are the same.
template <class S>
Result<Handler> convert_row(BindContext& context) {
  return for_width(context, context.bits(0), [](auto zero) {
    using D = decltype(zero);
    return Lanes<cut_or_extend<D, S>, D, S>::handler();
  });
}

bool has_width_of_type(const BindContext& context, size_t operand) {
  return context.bits(operand) == ptx::info(context.type(operand)).bits;
}

Result<Handler> bind_convert(BindContext& context) {
  if (!context.has("sat") && has_width_of_type(context, 0) && has_width_of_type(context, 1)) {
    return for_integer(context, context.type(1), [&](auto zero) { return convert_row<decltype(zero)>(context); });
  }
  return for_destination(context, [&](auto zero) { return convert_step<decltype(zero)>(context); });
}

// --- cvt.pack -------------------------------------------------------------------------------------------------------

template <int Bits, bool Signed>
constexpr uint32_t clamp_to_bits(int32_t a) {
  constexpr int32_t kLow = Signed ? -(1 << (Bits - 1)) : 0;
  constexpr int32_t kHigh = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1;
  const int32_t clamped = a < kLow ? kLow : a > kHigh ? kHigh : a;
  return static_cast<uint32_t>(clamped) & ((1u << Bits) - 1u);
}

template <bool Signed>
constexpr uint32_t pack_two(int32_t a, int32_t b) {
  return clamp_to_bits<16, Signed>(a) << 16 | clamp_to_bits<16, Signed>(b);
}

// The two go to the low end; c moves up by their width.
template <int Bits, bool Signed>
constexpr uint32_t pack_below(int32_t a, int32_t b, uint32_t c) {
  return c << (2 * Bits) | clamp_to_bits<Bits, Signed>(a) << Bits | clamp_to_bits<Bits, Signed>(b);
}

Result<Handler> bind_pack_two(BindContext& context) {
  return context.type() == ptx::Type::s16 ? Lanes<pack_two<true>, uint32_t, int32_t, int32_t>::handler()
                                          : Lanes<pack_two<false>, uint32_t, int32_t, int32_t>::handler();
}

Result<Handler> bind_pack_below(BindContext& context) {
  switch (context.type()) {
    case ptx::Type::s8:
      return Lanes<pack_below<8, true>, uint32_t, int32_t, int32_t, uint32_t>::handler();
    case ptx::Type::u8:
      return Lanes<pack_below<8, false>, uint32_t, int32_t, int32_t, uint32_t>::handler();
    case ptx::Type::s4:
      return Lanes<pack_below<4, true>, uint32_t, int32_t, int32_t, uint32_t>::handler();
    default:
      return Lanes<pack_below<4, false>, uint32_t, int32_t, int32_t, uint32_t>::handler();
  }
}

constexpr std::array kBindings = {
    Binding{"cvt.int", bind_convert},
    Binding{"cvt.pack.16", bind_pack_two},
    Binding{"cvt.pack.8", bind_pack_below},
};

}  // namespace

std::span<const Binding> convert_integer_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
