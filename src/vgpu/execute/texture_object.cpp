// SPDX-License-Identifier: MIT
#include "vgpu/execute/texture_object.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

const Texture* object_of(Warp& warp, int lane, uint64_t object, bool surface) {
  const Texture* const found = warp.block().grid().textures.find(object);
  const char* const wanted = surface ? "surface" : "texture";
  if (found == nullptr) {
    warp.fault(FindingKind::illegal_address, fmt::format("0x{:x} is no {} object", object, wanted), lane);
  } else if (found->is_surface != surface) {
    warp.fault(FindingKind::illegal_address,
               fmt::format("'{}' is a {} object, and the instruction takes a {}", found->name,
                           surface ? "texture" : "surface", wanted),
               lane);
    return nullptr;
  }
  return found;
}

}  // namespace

TextureGeometry texture_geometry(const BindContext& context) {
  const std::string_view name = context.modifiers->one_of({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  if (name == "1d") return {TextureShape::d1, false, 1};
  if (name == "3d") return {TextureShape::d3, false, 3};
  if (name == "a1d") return {TextureShape::layered_d1, true, 1};
  if (name == "a2d") return {TextureShape::layered_d2, true, 2};
  if (name == "cube") return {TextureShape::cube, false, 3};
  if (name == "acube") return {TextureShape::layered_cube, true, 3};
  return {TextureShape::d2, false, 2};
}

Result<void> check_coordinates(const BindContext& context, TextureGeometry geometry, int coordinates) {
  const size_t expected = geometry.places + (geometry.layered ? 1 : 0);
  const auto given = static_cast<size_t>(coordinates);
  if (given == expected || (expected == 3 && given == 4)) return {};
  return context.error(fmt::format("{} coordinates; this geometry takes {}", given,
                                   expected == 3 ? "3 and one more" : fmt::format("{}", expected)));
}

const Texture* texture_of(Warp& warp, int lane, uint64_t object) {
  return object_of(warp, lane, object, false);
}
const Texture* surface_of(Warp& warp, int lane, uint64_t object) {
  return object_of(warp, lane, object, true);
}

void resolve(Warp& warp, const Instruction& instruction, AccessKind kind, uint32_t bytes, TexelAccess& access) {
  access.granted = 0;
  if (access.lanes == 0) return;
  const LaneMask all = warp.mask;
  warp.mask = access.lanes;
  const LanePointers pointers = resolve(warp, instruction, Space::global, kind, bytes, access.addresses);
  warp.mask = all;
  access.granted = pointers.lanes;
  access.at = pointers.at;
}

}  // namespace assay::vgpu
