// SPDX-License-Identifier: MIT
// tex, tld4 and txq: every lane finds its texels, the texels are read tap by tap for all lanes, and each lane filters.
#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <optional>

#include "vgpu/execute/families.hpp"
#include "vgpu/execute/lanes.hpp"
#include "vgpu/execute/texture_object.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/semantics/half.hpp"

namespace assay::vgpu {
namespace {

constexpr int kFiltered = -1;

// Of a mipmap: the first level, the one that is named, or the one that fits the derivatives of the coordinates.
enum class LevelChoice : uint8_t { base, named, gradient };

struct TextureCall {
  TextureGeometry geometry;
  bool whole = false;       // integer coordinates
  bool halves = false;      // two registers of two halves
  int channel = kFiltered;  // of tld4
  size_t results = 4;       // rows; behind them the object and the coordinates
  LevelChoice level = LevelChoice::base;
  size_t level_row = 0;    // behind the coordinates: the level, or the derivatives
  size_t derivatives = 0;  // registers of each of two
};

// --- which texels

TextureCoordinates coordinates_of(const Warp& warp, const Instruction& instruction, const TextureCall& call, int lane) {
  const uint32_t* rows = instruction.rows + call.results + 1;
  TextureCoordinates at;
  at.whole = call.whole;
  if (call.geometry.layered) at.layer = warp.row<int32_t>(*rows++)[lane];
  for (size_t i = 0; i < call.geometry.places; ++i) {
    at.texel[i] = warp.row<int32_t>(rows[i])[lane];
    at.place[i] = std::bit_cast<float>(at.texel[i]);
  }
  return at;
}

std::optional<float> level_asked(const Warp& warp, const Instruction& instruction, const TextureCall& call,
                                 const Texture& texture, const TextureCoordinates& at, int lane) {
  const uint32_t* const rows = instruction.rows + call.level_row;
  if (call.level == LevelChoice::base || texture.levels.empty()) return std::nullopt;
  if (call.level == LevelChoice::named)
    return call.whole ? static_cast<float>(warp.row<int32_t>(rows[0])[lane]) : warp.row<float>(rows[0])[lane];
  std::array<std::array<float, 3>, 2> steps{};
  for (size_t axis = 0; axis < 2; ++axis) {
    for (size_t i = 0; i < std::min<size_t>(3, call.derivatives); ++i)
      steps[axis][i] = warp.row<float>(rows[axis * call.derivatives + i])[lane];
  }
  return level_of(texture, at, steps[0], steps[1]);
}

// Linear memory is read by integers alone, and an array of one dimension by floats alone.
bool shape_fits(const Texture& texture, const TextureCall& call) {
  if (call.geometry.shape != TextureShape::d1) return texture.shape == call.geometry.shape;
  return texture.shape == (call.whole ? TextureShape::linear : TextureShape::d1);
}

const Texture* texture_for(Warp& warp, const Instruction& instruction, const TextureCall& call, int lane) {
  const uint64_t object = warp.row<uint64_t>(instruction.rows[call.results])[lane];
  const Texture* const texture = texture_of(warp, lane, object);
  if (texture == nullptr || shape_fits(*texture, call)) return texture;
  warp.fault(
      FindingKind::illegal_instruction,
      fmt::format("'{}' is a {} texture, and the instruction takes {} {}", texture->name, to_string(texture->shape),
                  to_string(call.geometry.shape), call.whole ? "with integer coordinates" : "with float coordinates"),
      lane);
  return nullptr;
}

// --- reading and filtering

struct LaneFetch {
  const Texture* texture = nullptr;
  Footprint footprint;
  TexelPointers texels{};
};
using Fetches = std::array<LaneFetch, kLanes>;

bool wants(const LaneFetch& fetch, size_t tap, uint32_t bytes) {
  return fetch.texture->texel_bytes() == bytes && fetch.footprint.takes(tap);
}

// One tap of all lanes whose texels have so many bytes. What an observer refuses is zero.
void read_tap(Warp& warp, const Instruction& instruction, Fetches& fetches, size_t tap, uint32_t bytes) {
  static constexpr std::array<std::byte, 16> kZero{};
  TexelAccess access;
  for_each_lane(warp.mask, [&](int lane) {
    const LaneFetch& fetch = fetches[static_cast<size_t>(lane)];
    if (!wants(fetch, tap, bytes)) return;
    access.lanes |= LaneMask{1} << lane;
    access.addresses[static_cast<size_t>(lane)] = fetch.texture->address + fetch.footprint.taps[tap].offset;
  });
  resolve(warp, instruction, AccessKind::load, bytes, access);
  for_each_lane(access.lanes, [&](int lane) {
    const auto at = static_cast<size_t>(lane);
    fetches[at].texels[tap] = (access.granted >> lane & 1) != 0 ? access.at[at] : kZero.data();
  });
}

void write_results(Warp& warp, const Instruction& instruction, const TextureCall& call, int lane,
                   const std::array<uint32_t, 4>& values) {
  const auto half = [&](size_t channel) {
    const auto value = std::bit_cast<float>(values[channel]);
    return uint32_t{semantics::to_f16<semantics::Rounding::rn>(value).bits};
  };
  for (size_t i = 0; i < call.results; ++i)
    warp.row<uint32_t>(instruction.rows[i])[lane] = call.halves ? half(2 * i) | half(2 * i + 1) << 16 : values[i];
}

void fetch(Warp& warp, const Instruction& instruction) {
  const auto& call = payload<TextureCall>(instruction);
  Fetches fetches;
  size_t taps = 0;
  uint32_t sizes = 0;  // a bit for each size of texel
  for_each_lane(warp.mask, [&](int lane) {
    if (warp.block().stopped()) return;
    LaneFetch& mine = fetches[static_cast<size_t>(lane)];
    mine.texture = texture_for(warp, instruction, call, lane);
    if (mine.texture == nullptr) return;
    TextureCoordinates at = coordinates_of(warp, instruction, call, lane);
    at.level = level_asked(warp, instruction, call, *mine.texture, at, lane);
    mine.footprint = call.channel == kFiltered ? footprint(*mine.texture, at) : gather_footprint(*mine.texture, at);
    taps = std::max(taps, mine.footprint.count);
    sizes |= mine.texture->texel_bytes();
  });
  for (size_t tap = 0; tap < taps && !warp.block().stopped(); ++tap) {
    for (uint32_t left = sizes; left != 0 && !warp.block().stopped(); left &= left - 1)
      read_tap(warp, instruction, fetches, tap, left & -left);
  }
  if (warp.block().stopped()) return;
  for_each_lane(warp.mask, [&](int lane) {
    const LaneFetch& mine = fetches[static_cast<size_t>(lane)];
    const auto channel = static_cast<size_t>(std::max(0, call.channel));
    write_results(warp, instruction, call, lane,
                  call.channel == kFiltered ? sample(*mine.texture, mine.footprint, mine.texels)
                                            : gather(*mine.texture, mine.footprint, mine.texels, channel));
  });
}

void query(Warp& warp, const Instruction& instruction) {
  for_each_lane(warp.mask, [&](int lane) {
    if (warp.block().stopped()) return;
    const Texture* const texture = texture_of(warp, lane, warp.row<uint64_t>(instruction.rows[1])[lane]);
    if (texture != nullptr) warp.row<uint32_t>(instruction.rows[0])[lane] = queried_size(*texture, instruction.detail);
  });
}

// --- binders

Result<Handler> bind_fetch(BindContext& context) {
  TextureCall call;
  call.geometry = texture_geometry(context);
  call.halves = context.has("f16x2");
  call.results = call.halves ? 2 : 4;
  call.whole = context.type(1) == ptx::Type::s32;
  if (static_cast<size_t>(context.group_sizes[0]) != call.results)
    return context.error(fmt::format("the result has {} registers", call.results));
  ASSAY_CHECK(check_coordinates(context, call.geometry, context.group_sizes[1] - 1));
  if (context.bits(call.results) != 64) return context.error("a texture object has 64 bits");
  const bool cube = call.geometry.shape == TextureShape::cube || call.geometry.shape == TextureShape::layered_cube;
  if (cube && call.whole) return context.error("cube maps take float coordinates");
  call.level_row = call.results + static_cast<size_t>(context.group_sizes[1]);
  if (context.has("level")) call.level = LevelChoice::named;
  if (context.has("grad")) {
    call.level = LevelChoice::gradient;
    call.derivatives = static_cast<size_t>(context.group_sizes[2]);
    // Layers have no derivatives; of three a fourth may follow.
    const size_t wanted = call.geometry.places;
    const bool same = context.group_sizes[2] == context.group_sizes[3];
    if (!same || (call.derivatives != wanted && !(wanted == 3 && call.derivatives == 4)))
      return context.error(fmt::format("derivatives of {} and {} coordinates; this geometry takes {}",
                                       context.group_sizes[2], context.group_sizes[3], wanted));
  }
  if (const std::string_view channel = context.modifiers->one_of({"r", "g", "b", "a"}); !channel.empty())
    call.channel = static_cast<int>(std::string_view("rgba").find(channel.front()));
  context.keep(call);
  return &fetch;
}

Result<Handler> bind_query(BindContext& context) {
  if (context.bits(1) != 64) return context.error("a texture object has 64 bits");
  context.instruction->detail = context.has("width") ? 0 : context.has("height") ? 1 : 2;
  return &query;
}

constexpr std::array kBindings = {
    Binding{"tex", bind_fetch},      Binding{"tex.f16x2", bind_fetch}, Binding{"tex.level", bind_fetch},
    Binding{"tex.grad", bind_fetch}, Binding{"tld4", bind_fetch},      Binding{"txq", bind_query},
};

}  // namespace

std::span<const Binding> texture_bindings() {
  return kBindings;
}

}  // namespace assay::vgpu
