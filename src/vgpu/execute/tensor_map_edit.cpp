// SPDX-License-Identifier: MIT
#include "vgpu/execute/tensor_map_edit.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/tensor_map.hpp"

namespace assay::vgpu {
namespace {

constexpr uint32_t kPieceBytes = 64;  // a map's alignment: the most that one access can ask for
using MapBytes = std::array<std::byte, TensorMap::kBytes>;

// One lane's access to the pieces of a map. False: a fault, or an observer that refuses.
template <class Use>
bool for_each_piece(Warp& warp, const Instruction& instruction, Space space, AccessKind kind, uint64_t address,
                    int lane, const Use& use) {
  for (uint32_t done = 0; done < TensorMap::kBytes; done += kPieceBytes) {
    std::array<uint64_t, kLanes> addresses{};
    addresses[static_cast<size_t>(lane)] = address + done;
    const LaneMask all = warp.mask;
    warp.mask = LaneMask{1} << lane;
    const LanePointers pointers = resolve(warp, instruction, space, kind, kPieceBytes, addresses);
    warp.mask = all;
    if (warp.block().stopped() || pointers.lanes == 0) return false;
    use(done, pointers.at[static_cast<size_t>(lane)]);
  }
  return true;
}

bool read_bytes(Warp& warp, const Instruction& instruction, Space space, uint64_t address, int lane, MapBytes& bytes) {
  return for_each_piece(warp, instruction, space, AccessKind::load, address, lane,
                        [&](uint32_t at, const std::byte* from) { std::memcpy(&bytes[at], from, kPieceBytes); });
}
bool write_bytes(Warp& warp, const Instruction& instruction, Space space, uint64_t address, int lane,
                 const MapBytes& bytes) {
  return for_each_piece(warp, instruction, space, AccessKind::store, address, lane,
                        [&](uint32_t at, std::byte* to) { std::memcpy(to, &bytes[at], kPieceBytes); });
}

// --- replace. Operands: [a]{, dimension}, value. `immediate` is the offset of a, `variant` the space, `detail` the
// field, and whether a has 64 bits.

enum class Field : uint32_t { address, rank, box, size, stride, step, type, swizzle, fill };
constexpr uint32_t kWideMap = 0x100;

struct ElementType {
  uint8_t bytes;
  ReducedType reduced;
};
// By the numbers of the manual: u8, u16, u32, s32, u64, s64, f16, f32, f32.ftz, f64, bf16, tf32, tf32.ftz.
constexpr std::array kElementTypes = {
    ElementType{1, ReducedType::none}, ElementType{2, ReducedType::none}, ElementType{4, ReducedType::u32},
    ElementType{4, ReducedType::s32},  ElementType{8, ReducedType::u64},  ElementType{8, ReducedType::s64},
    ElementType{2, ReducedType::f16},  ElementType{4, ReducedType::f32},  ElementType{4, ReducedType::f32},
    ElementType{8, ReducedType::f64},  ElementType{2, ReducedType::bf16}, ElementType{4, ReducedType::f32},
    ElementType{4, ReducedType::f32},
};

// False: no map can have this. What only other fields can tell is looked at when a copy uses the map.
bool replace_field(TensorMap& map, Field field, uint32_t dimension, uint64_t value) {
  constexpr uint64_t kLine = 16;
  constexpr uint64_t kMostBox = 256;
  constexpr uint64_t kMostStep = 8;
  const bool strides = field == Field::stride;
  if (dimension >= TensorMap::kMostDimensions - (strides ? 1 : 0)) return false;
  switch (field) {
    case Field::address:
      map.address = value;
      return value % kLine == 0;
    case Field::rank:
      map.rank = static_cast<uint8_t>(value + 1);
      return value < TensorMap::kMostDimensions;
    case Field::box:
      map.box[dimension] = static_cast<uint16_t>(value);
      return value >= 1 && value <= kMostBox;
    case Field::size:
      map.sizes[dimension] = static_cast<uint32_t>(value);
      return true;
    case Field::stride:  // that of the contiguous dimension is not kept
      map.strides[dimension + 1] = value;
      return value % kLine == 0 && value < uint64_t{1} << 40;
    case Field::step:
      map.steps[dimension] = static_cast<uint8_t>(value);
      return value >= 1 && value <= kMostStep && (dimension > 0 || value == 1);
    case Field::type:
      if (value >= kElementTypes.size()) return false;
      map.element_bytes = kElementTypes[value].bytes;
      map.type = kElementTypes[value].reduced;
      return true;
    case Field::swizzle:
      map.swizzle_bits = static_cast<uint8_t>(value);
      return value <= 3;
    case Field::fill:
      map.fill = value == 0 ? 0 : 0xff;
      return value <= 1;
  }
  return false;
}

template <class Value, bool HasDimension>
void replace(Warp& warp, const Instruction& instruction) {
  const auto field = static_cast<Field>(instruction.detail & ~kWideMap);
  std::array<uint64_t, kLanes> addresses;
  read_addresses(warp, instruction.rows[0], (instruction.detail & kWideMap) != 0, instruction.immediate, addresses);
  const auto space = static_cast<Space>(instruction.variant);
  for_each_lane(warp.mask, [&](int lane) {
    if (warp.block().stopped()) return;
    const uint64_t address = addresses[static_cast<size_t>(lane)];
    MapBytes bytes;
    if (!read_bytes(warp, instruction, space, address, lane, bytes)) return;
    // Between two replacements a map need not be whole, so that this asks only whether it is one.
    TensorMap map;
    std::memcpy(&map, bytes.data(), sizeof map);
    if (map.magic != TensorMap::kMagic) {
      warp.fault(FindingKind::illegal_instruction,
                 fmt::format("the 128 bytes at 0x{:x} are no tensor map of this device", address), lane);
      return;
    }
    if (map.is_im2col()) {  // the manual has these fields, and .tile, for tiled maps alone
      warp.fault(FindingKind::illegal_instruction, "tensormap.replace.tile of an im2col tensor map", lane);
      return;
    }
    const uint32_t dimension = HasDimension ? warp.row<uint32_t>(instruction.rows[1])[lane] : 0;
    const uint64_t value = warp.row<Value>(instruction.rows[HasDimension ? 2 : 1])[lane];
    if (!replace_field(map, field, dimension, value)) {
      warp.fault(FindingKind::illegal_instruction,
                 HasDimension
                     ? fmt::format("a tensor map cannot have {} at dimension {} of this field", value, dimension)
                     : fmt::format("a tensor map cannot have {} in this field", value),
                 lane);
      return;
    }
    map.pack(bytes);
    write_bytes(warp, instruction, space, address, lane, bytes);
  });
}

Field field_of(const BindContext& context) {
  if (context.has("global_address")) return Field::address;
  if (context.has("rank")) return Field::rank;
  if (context.has("box_dim")) return Field::box;
  if (context.has("global_dim")) return Field::size;
  if (context.has("global_stride")) return Field::stride;
  if (context.has("element_stride")) return Field::step;
  if (context.has("elemtype")) return Field::type;
  if (context.has("swizzle_mode")) return Field::swizzle;
  return Field::fill;
}

template <bool HasDimension>
Result<Handler> bind_replace(BindContext& context) {
  ASSAY_CHECK(need_hopper(context, "tensor maps"));
  const Field field = field_of(context);
  const BoundOperand& map = context.operands[0];
  const bool wide_value = field == Field::address || field == Field::stride;
  if (context.bits(HasDimension ? 2 : 1) != (wide_value ? 64 : 32))
    return context.error("an address and a stride have 64 bits, the other fields 32");
  const Space space = context.has("global")        ? Space::global
                      : context.has("shared::cta") ? Space::shared
                                                   : Space::generic;
  context.instruction->variant = static_cast<uint8_t>(space);
  context.instruction->immediate = map.offset;
  context.instruction->detail = static_cast<uint32_t>(field) | (map.bits == 64 ? kWideMap : 0);
  return wide_value ? &replace<uint64_t, HasDimension> : &replace<uint32_t, HasDimension>;
}

// Only maps without interleaving are read here: one that has none stays as it is.
void leave(Warp&, const Instruction&) {}
Result<Handler> bind_interleave(BindContext& context) {
  ASSAY_CHECK(need_hopper(context, "tensor maps"));
  const BoundOperand& layout = context.operands[1];
  if (!layout.is_immediate || layout.value != 0) return context.error("interleaved tensor maps are not supported");
  return &leave;
}

// --- cp_fenceproxy. Operands: [d], [a], 128. The warp copies once. `immediate` is d's offset, `detail` a's; `variant`:
// a has 64 bits.

void copy_map(Warp& warp, const Instruction& instruction) {
  std::array<uint64_t, kLanes> to;
  std::array<uint64_t, kLanes> from;
  read_addresses(warp, instruction.rows[0], true, instruction.immediate, to);
  read_addresses(warp, instruction.rows[1], instruction.variant != 0, static_cast<int32_t>(instruction.detail), from);
  const int lane = std::countr_zero(warp.mask);
  const auto at = static_cast<size_t>(lane);
  MapBytes bytes;
  if (read_bytes(warp, instruction, Space::shared, from[at], lane, bytes))
    write_bytes(warp, instruction, Space::global, to[at], lane, bytes);
}

Result<Handler> bind_copy_map(BindContext& context) {
  ASSAY_CHECK(need_hopper(context, "tensor maps"));
  const auto& operands = context.operands;
  if (operands[0].bits != 64) return context.error("the target address needs 64 bits");
  if (!operands[2].is_immediate || operands[2].value != TensorMap::kBytes)
    return context.error("tensormap.cp_fenceproxy takes 128 bytes");
  context.instruction->immediate = operands[0].offset;
  context.instruction->detail = static_cast<uint32_t>(static_cast<int32_t>(operands[1].offset));
  context.instruction->variant = operands[1].bits == 64 ? 1 : 0;
  return &copy_map;
}

constexpr std::array kBindings = {
    Binding{"tensormap.replace", bind_replace<false>},
    Binding{"tensormap.replace.dimension", bind_replace<true>},
    Binding{"tensormap.replace.interleave", bind_interleave},
    Binding{"tensormap.cp_fenceproxy", bind_copy_map},
};

}  // namespace

std::span<const Binding> tensor_map_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
