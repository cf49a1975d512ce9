// SPDX-License-Identifier: MIT
// suld, sust, sured and suq. What lies outside of a surface is dropped (.zero), taken from its edge (.clamp), or an
// error (.trap).
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <optional>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/texture_object.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/bulk_reduction.hpp"

namespace assay::vgpu {
namespace {

enum class Outside : uint8_t { trap, clamp, zero };
enum class SurfaceAction : uint8_t { load, store, store_texel, reduce };

struct SurfaceCall {
  TextureGeometry geometry;
  Outside outside = Outside::trap;
  SurfaceAction action = SurfaceAction::load;
  uint32_t unit = 4;          // bytes of a register's part in memory
  size_t values = 1;          // registers
  size_t first_value = 0;     // their first row
  size_t object = 0;          // its row; the coordinates follow
  Combine combine = nullptr;  // of a reduction
  bool is_signed = false;
};

AccessKind kind_of(SurfaceAction action) {
  if (action == SurfaceAction::load) return AccessKind::load;
  return action == SurfaceAction::reduce ? AccessKind::atomic : AccessKind::store;
}

// --- where

struct Place {
  int64_t x = 0;  // bytes
  int64_t y = 0;
  int64_t slice = 0;
};

Place place_of(const Warp& warp, const Instruction& instruction, const SurfaceCall& call, const Texture& surface,
               int lane) {
  const uint32_t* rows = instruction.rows + call.object + 1;
  const auto next = [&] { return int64_t{warp.row<int32_t>(*rows++)[lane]}; };
  Place place;
  // A layer is a number without a sign.
  if (call.geometry.layered) place.slice = static_cast<uint32_t>(next());
  place.x = next();
  if (call.action == SurfaceAction::store_texel) place.x *= surface.texel_bytes();
  if (call.geometry.places > 1) place.y = next();
  if (call.geometry.places > 2) place.slice = next();
  return place;
}

std::string describe(const Texture& surface, const Place& place) {
  std::string at = fmt::format("byte {} of a row", place.x);
  if (surface.shape != TextureShape::d1 && surface.shape != TextureShape::layered_d1)
    at += fmt::format(", row {}", place.y);
  if (surface.slices > 1) at += fmt::format(", slice {}", place.slice);
  return at;
}

// Reports it to who watches, or stops the launch.
void report(Warp& warp, const Instruction& instruction, int lane, Finding finding) {
  finding.space = Space::global;
  if (!warp.block().observe_outside(warp, instruction, lane, finding)) warp.fault(std::move(finding), lane);
}

void report_outside(Warp& warp, const Instruction& instruction, const SurfaceCall& call, const Texture& surface,
                    const Place& place, uint32_t bytes, int lane) {
  Finding finding;
  finding.kind = FindingKind::out_of_bounds;
  finding.access = kind_of(call.action);
  finding.bytes = bytes;
  finding.address = surface.address;
  finding.message = fmt::format("out-of-bounds {} of {} bytes in surface '{}' at {}",
                                call.action == SurfaceAction::load     ? "read"
                                : call.action == SurfaceAction::reduce ? "reduction"
                                                                       : "write",
                                bytes, surface.name, describe(surface, place));
  finding.allocation =
      fmt::format("surface '{}' has rows of {} bytes ({} texels), {} rows, {} slices", surface.name,
                  surface.width * surface.texel_bytes(), surface.width, surface.height, surface.slices);
  report(warp, instruction, lane, std::move(finding));
}

// The offset of what the lane asks for; nothing if it is skipped.
std::optional<uint64_t> offset_of(Warp& warp, const Instruction& instruction, const SurfaceCall& call,
                                  const Texture& surface, uint32_t bytes, int lane) {
  Place place = place_of(warp, instruction, call, surface, lane);
  const int64_t row = surface.width * int64_t{surface.texel_bytes()};
  const bool inside = place.x >= 0 && place.x <= row - int64_t{bytes} && place.y >= 0 && place.y < surface.height &&
                      place.slice >= 0 && place.slice < surface.slices;
  if (!inside) {
    if (call.outside == Outside::trap) report_outside(warp, instruction, call, surface, place, bytes, lane);
    if (call.outside != Outside::clamp || row < int64_t{bytes}) return std::nullopt;
    place.x = std::clamp<int64_t>(place.x, 0, row / bytes * bytes - bytes);
    place.y = std::clamp<int64_t>(place.y, 0, surface.height - 1);
    place.slice = std::clamp<int64_t>(place.slice, 0, surface.slices - 1);
  }
  if (place.x % bytes != 0) {
    Finding finding;
    finding.kind = FindingKind::misaligned;
    finding.access = kind_of(call.action);
    finding.bytes = bytes;
    finding.address = surface.address;
    finding.message = fmt::format("misaligned access of {} bytes in surface '{}' at {}: the coordinate x counts bytes",
                                  bytes, surface.name, describe(surface, place));
    report(warp, instruction, lane, std::move(finding));
    return std::nullopt;
  }
  return static_cast<uint64_t>(place.slice) * surface.slice_bytes + static_cast<uint64_t>(place.y) * surface.row_bytes +
         static_cast<uint64_t>(place.x);
}

bool shape_fits(const Texture& surface, TextureGeometry geometry) {
  if (geometry.shape != TextureShape::layered_d2) return surface.shape == geometry.shape;
  return surface.shape == TextureShape::layered_d2 || surface.shape == TextureShape::cube ||
         surface.shape == TextureShape::layered_cube;
}

const Texture* surface_for(Warp& warp, const Instruction& instruction, const SurfaceCall& call, int lane) {
  const Texture* const surface = surface_of(warp, lane, warp.row<uint64_t>(instruction.rows[call.object])[lane]);
  if (surface == nullptr || shape_fits(*surface, call.geometry)) return surface;
  warp.fault(FindingKind::illegal_instruction,
             fmt::format("'{}' is a {} surface, and the instruction takes {}", surface->name, to_string(surface->shape),
                         to_string(call.geometry.shape)),
             lane);
  return nullptr;
}

// --- what

void load(Warp& warp, const Instruction& instruction, const SurfaceCall& call, int lane, const std::byte* from) {
  for (size_t i = 0; i < call.values; ++i) {
    uint64_t value = 0;
    if (from != nullptr) std::memcpy(&value, from + i * call.unit, call.unit);
    const uint32_t row = instruction.rows[call.first_value + i];
    switch (warp.frame().function->info_of(instruction)[call.first_value + i].bytes) {
      case 2:
        warp.row<uint16_t>(row)[lane] = static_cast<uint16_t>(value);
        break;
      case 4:
        warp.row<uint32_t>(row)[lane] = static_cast<uint32_t>(value);
        break;
      default:
        warp.row<uint64_t>(row)[lane] = value;
    }
  }
}

uint64_t register_value(const Warp& warp, const Instruction& instruction, size_t index, int lane) {
  const uint32_t row = instruction.rows[index];
  switch (warp.frame().function->info_of(instruction)[index].bytes) {
    case 2:
      return warp.row<uint16_t>(row)[lane];
    case 4:
      return warp.row<uint32_t>(row)[lane];
    default:
      return warp.row<uint64_t>(row)[lane];
  }
}

void store(Warp& warp, const Instruction& instruction, const SurfaceCall& call, const Texture& surface, int lane,
           std::byte* to) {
  const bool texel = call.action == SurfaceAction::store_texel;
  const size_t count = texel ? std::min<size_t>(call.values, surface.channels) : call.values;
  const uint32_t unit = texel ? semantics::bytes_of(surface.format) : call.unit;
  for (size_t i = 0; i < count; ++i) {
    uint64_t value = register_value(warp, instruction, call.first_value + i, lane);
    if (texel) value = semantics::channel_stored(surface.format, static_cast<uint32_t>(value));
    std::memcpy(to + i * unit, &value, unit);
  }
}

// Lane by lane: where two lanes write to one place the higher one wins.
void execute(Warp& warp, const Instruction& instruction) {
  const auto& call = payload<SurfaceCall>(instruction);
  std::array<const Texture*, kLanes> surfaces{};
  std::array<uint32_t, kLanes> bytes{};
  TexelAccess wanted;
  uint32_t sizes = 0;
  for_each_lane(warp.mask, [&](int lane) {
    if (warp.block().stopped()) return;
    const auto at = static_cast<size_t>(lane);
    surfaces[at] = surface_for(warp, instruction, call, lane);
    if (surfaces[at] == nullptr) return;
    bytes[at] = call.action == SurfaceAction::store_texel ? surfaces[at]->texel_bytes()
                                                          : call.unit * static_cast<uint32_t>(call.values);
    const auto offset = offset_of(warp, instruction, call, *surfaces[at], bytes[at], lane);
    if (!offset) return;
    wanted.addresses[at] = surfaces[at]->address + *offset;
    wanted.lanes |= LaneMask{1} << lane;
    sizes |= bytes[at];
  });
  std::array<std::byte*, kLanes> memory{};
  for (uint32_t left = sizes; left != 0 && !warp.block().stopped(); left &= left - 1) {
    TexelAccess access = wanted;
    for_each_lane(wanted.lanes, [&](int lane) {
      if (bytes[static_cast<size_t>(lane)] != (left & -left)) access.lanes &= ~(LaneMask{1} << lane);
    });
    resolve(warp, instruction, kind_of(call.action), left & -left, access);
    for_each_lane(access.granted,
                  [&](int lane) { memory[static_cast<size_t>(lane)] = access.at[static_cast<size_t>(lane)]; });
  }
  if (warp.block().stopped()) return;
  for_each_lane(warp.mask, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    if (call.action == SurfaceAction::load) return load(warp, instruction, call, lane, memory[at]);
    if (memory[at] == nullptr) return;
    if (call.action != SurfaceAction::reduce) return store(warp, instruction, call, *surfaces[at], lane, memory[at]);
    const uint64_t value = register_value(warp, instruction, call.first_value, lane);
    std::array<std::byte, sizeof value> operand;
    std::memcpy(operand.data(), &value, sizeof value);
    call.combine(memory[at], operand.data(), call.unit);
  });
}

void query(Warp& warp, const Instruction& instruction) {
  for_each_lane(warp.mask, [&](int lane) {
    if (warp.block().stopped()) return;
    const Texture* const surface = surface_of(warp, lane, warp.row<uint64_t>(instruction.rows[1])[lane]);
    if (surface != nullptr) warp.row<uint32_t>(instruction.rows[0])[lane] = queried_size(*surface, instruction.detail);
  });
}

// --- binders

// `object_group` is the operand of the object, `value_group` that of the registers.
Result<Handler> bind(BindContext& context, SurfaceCall call, size_t object_group, size_t value_group) {
  call.geometry = texture_geometry(context);
  call.outside = context.has("clamp") ? Outside::clamp : context.has("zero") ? Outside::zero : Outside::trap;
  call.values = static_cast<size_t>(context.group_sizes[value_group]);
  const size_t behind_object = static_cast<size_t>(context.group_sizes[object_group]);
  call.object = object_group == 0 ? 0 : call.values;
  call.first_value = value_group == 0 ? 0 : behind_object;
  const size_t expected = context.has("v2") ? 2 : context.has("v4") ? 4 : 1;
  if (call.values != expected) return context.error("the vector and its modifier differ in length");
  ASSAY_CHECK(check_coordinates(context, call.geometry, static_cast<int>(behind_object) - 1));
  if (context.bits(call.object) != 64) return context.error("a surface object has 64 bits");
  call.unit = static_cast<uint32_t>(ptx::bytes_of(context.type()));
  if (call.unit * call.values > 16) return context.error("surfaces are accessed by up to 16 bytes");
  context.keep(call);
  return &execute;
}

Result<Handler> bind_load(BindContext& context) {
  return bind(context, {}, 1, 0);
}
Result<Handler> bind_store(BindContext& context) {
  SurfaceCall call;
  call.action = context.has("p") ? SurfaceAction::store_texel : SurfaceAction::store;
  return bind(context, call, 0, 1);
}
// Blocks may add to the same places: they are interleaved.
Result<Handler> bind_reduce(BindContext& context) {
  SurfaceCall call;
  call.action = SurfaceAction::reduce;
  call.combine = combine_of(reduction_named(context.modifiers->one_of({"add", "min", "max", "and", "or"})),
                            reduced_type(ptx::info(context.type()).name));
  if (call.combine == nullptr) return context.error("there is no such reduction of this type");
  context.function->communicates = true;
  return bind(context, call, 0, 1);
}
Result<Handler> bind_query(BindContext& context) {
  if (context.bits(1) != 64) return context.error("a surface object has 64 bits");
  context.instruction->detail = context.has("width") ? 0 : context.has("height") ? 1 : 2;
  return &query;
}

constexpr std::array kBindings = {
    Binding{"suld", bind_load},    Binding{"sust", bind_store}, Binding{"sust.p", bind_store},
    Binding{"sured", bind_reduce}, Binding{"suq", bind_query},
};

}  // namespace

std::span<const Binding> surface_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
