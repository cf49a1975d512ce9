// SPDX-License-Identifier: MIT
// mov, pack and unpack, cvta, isspacep.
#include <array>
#include <chrono>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/type_dispatch.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

template <class T>
constexpr T same(T a) {
  return a;
}

void move_predicate(Warp& warp, const Instruction& instruction) {
  store_predicate(warp, instruction.rows[0], *warp.row<LaneMask>(instruction.rows[1]));
}

Result<Handler> bind_move_predicate(BindContext&) {
  return &move_predicate;
}

// %clock counts instructions of the block: time as far as this machine has one. %globaltimer is the host's clock.
template <class T>
void read_clock(Warp& warp, const Instruction& instruction) {
  uint64_t now = warp.block().instructions_;
  if (instruction.variant == 1) {
    now = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  }
  now >>= instruction.detail;
  T* d = warp.row<T>(instruction.rows[0]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = static_cast<T>(now); });
  warp.yield();  // a loop that waits for time to pass lets the count advance
}

Result<Handler> bind_move(BindContext& context) {
  if (const auto* source = std::get_if<ptx::Identifier>(&context.syntax->operands[1].value)) {
    const std::string& name = source->name;
    const bool global = name.starts_with("%globaltimer");
    if (global || name.starts_with("%clock")) {
      context.instruction->variant = global ? 1 : 0;
      context.instruction->detail = name.ends_with("_hi") ? 32 : 0;
      return for_width(context, context.bits(0), [](auto zero) -> Handler { return &read_clock<decltype(zero)>; });
    }
  }
  return for_any_width(context, context.bits(0), [](auto zero) {
    using T = decltype(zero);
    return Lanes<same<T>, T, T>::handler();
  });
}

// d = {a...}: parts of equal width.
template <class Whole, class Part>
void pack(Warp& warp, const Instruction& instruction) {
  Whole* d = warp.row<Whole>(instruction.rows[0]);
  const int parts = instruction.row_count - 1;
  alignas(64) Whole result[kLanes] = {};
  for (int part = 0; part < parts; ++part) {
    const Part* a = warp.row<Part>(instruction.rows[part + 1]);
    for (int lane = 0; lane < kLanes; ++lane) {
      result[lane] =
          static_cast<Whole>(result[lane] | static_cast<Whole>(static_cast<Whole>(a[lane])
                                                               << (8 * sizeof(Part) * static_cast<size_t>(part))));
    }
  }
  for_each_lane(warp.mask, [&](int lane) { d[lane] = result[lane]; });
}

template <class Whole, class Part>
void unpack(Warp& warp, const Instruction& instruction) {
  const int parts = instruction.row_count - 1;
  alignas(64) Whole source[kLanes];
  std::memcpy(source, warp.row<Whole>(instruction.rows[parts]), sizeof source);
  for (int part = 0; part < parts; ++part) {
    Part* d = warp.row<Part>(instruction.rows[part]);
    for_each_lane(warp.mask, [&](int lane) {
      d[lane] = static_cast<Part>(source[lane] >> (8 * sizeof(Part) * static_cast<size_t>(part)));
    });
  }
}

// The parts are operands `group` of the text. Constants and "_" have no width of their own: they take a part's share.
Result<void> check_parts(BindContext& context, size_t group) {
  const int whole = ptx::info(context.type()).bits;
  const int count = context.group_sizes[group];
  const auto* vector = std::get_if<ptx::VectorOperand>(&context.syntax->operands[group].value);
  for (int part = 0; part < count; ++part) {
    const size_t at = group + static_cast<size_t>(part);
    const ptx::Operand* element = vector != nullptr ? &vector->elements[static_cast<size_t>(part)] : nullptr;
    const bool no_width =
        context.operands[at].is_immediate || (element != nullptr && std::holds_alternative<ptx::Sink>(element->value));
    if (no_width && element != nullptr) {
      ASSAY_TRY(context.operands[at], context.value(*element, whole / count, false));
    }
    if (context.bits(at) * count != whole) return context.error("the parts do not add up to the whole");
  }
  return {};
}

template <template <class, class> class Run>
Result<Handler> bind_parts(BindContext& context, int part_bits) {
  const int whole = ptx::info(context.type()).bits;
  if (whole == 128 && part_bits == 64) return &Run<Bits128, uint64_t>::run;
  if (whole == 128 && part_bits == 32) return &Run<Bits128, uint32_t>::run;
  if (whole == 64 && part_bits == 32) return &Run<uint64_t, uint32_t>::run;
  if (whole == 64 && part_bits == 16) return &Run<uint64_t, uint16_t>::run;
  if (whole == 32 && part_bits == 16) return &Run<uint32_t, uint16_t>::run;
  return context.error("parts of this width are not supported");
}

template <class Whole, class Part>
struct Pack {
  static void run(Warp& warp, const Instruction& instruction) { pack<Whole, Part>(warp, instruction); }
};
template <class Whole, class Part>
struct Unpack {
  static void run(Warp& warp, const Instruction& instruction) { unpack<Whole, Part>(warp, instruction); }
};

Result<Handler> bind_pack(BindContext& context) {
  ASSAY_CHECK(check_parts(context, 1));
  return bind_parts<Pack>(context, context.bits(1));
}

Result<Handler> bind_unpack(BindContext& context) {
  ASSAY_CHECK(check_parts(context, 0));
  return bind_parts<Unpack>(context, context.bits(0));
}

Space space_modifier(const BindContext& context) {
  if (context.has("global")) return Space::global;
  if (context.has("local")) return Space::local;
  if (context.has("const")) return Space::constant;
  if (context.has("param") || context.has("param::entry")) return Space::parameter;
  return Space::shared;
}

// The window's base is added or taken away; a null pointer stays null, as the hardware keeps it.
template <bool To>
void convert_address(Warp& warp, const Instruction& instruction) {
  const auto base = static_cast<uint64_t>(instruction.immediate);
  uint64_t* d = warp.row<uint64_t>(instruction.rows[0]);
  const uint64_t* a = warp.row<uint64_t>(instruction.rows[1]);
  for_each_lane(warp.mask, [&](int lane) { d[lane] = To ? a[lane] - base : a[lane] + base; });
}

template <bool To>
Result<Handler> bind_convert_address(BindContext& context) {
  if (context.type() != ptx::Type::u64) return context.error("addresses have 64 bits here");
  context.instruction->immediate = static_cast<int64_t>(window_base(space_modifier(context)));
  return &convert_address<To>;
}

template <class T>
void is_in_space(Warp& warp, const Instruction& instruction) {
  const T* a = warp.row<T>(instruction.rows[1]);
  LaneMask bits = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    bits |= static_cast<LaneMask>(classify(a[lane]).space == static_cast<Space>(instruction.variant)) << lane;
  }
  store_predicate(warp, instruction.rows[0], bits);
}

Result<Handler> bind_is_in_space(BindContext& context) {
  context.instruction->variant = static_cast<uint8_t>(space_modifier(context));
  return for_width(context, context.bits(1), [](auto zero) -> Handler { return &is_in_space<decltype(zero)>; });
}

constexpr std::array kBindings = {
    Binding{"mov.pred", bind_move_predicate},
    Binding{"mov", bind_move},
    Binding{"mov.pack", bind_pack},
    Binding{"mov.unpack", bind_unpack},
    Binding{"cvta", bind_convert_address<false>},
    Binding{"cvta.to", bind_convert_address<true>},
    Binding{"isspacep", bind_is_in_space},
};

}  // namespace

std::span<const Binding> data_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
