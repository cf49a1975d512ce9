// SPDX-License-Identifier: MIT
// From an instruction's operands to the texture or surface that a lane names, and to the coordinates in it.
#pragma once

#include <array>
#include <cstdint>

#include "vgpu/execute/binding.hpp"
#include "vgpu/machine/texture.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

// What an instruction says of the texture that it takes: ".2d", ".a1d", ...
struct TextureGeometry {
  TextureShape shape = TextureShape::d2;  // of an array; linear memory is named .1d with integer coordinates
  bool layered = false;                   // the first coordinate is the layer
  size_t places = 2;                      // coordinates behind it
};
TextureGeometry texture_geometry(const BindContext& context);
// As many coordinates as the geometry takes; a fourth that nobody looks at may follow.
Result<void> check_coordinates(const BindContext& context, TextureGeometry geometry, int coordinates);

// The object of a lane; nullptr, after a fault, if it is none or of another kind.
const Texture* texture_of(Warp& warp, int lane, uint64_t object);
const Texture* surface_of(Warp& warp, int lane, uint64_t object);

// The host's memory of an access to these lanes of a texture's memory.
struct TexelAccess {
  std::array<uint64_t, kLanes> addresses{};
  std::array<std::byte*, kLanes> at{};
  LaneMask lanes = 0;    // that want it
  LaneMask granted = 0;  // and got it
};
void resolve(Warp& warp, const Instruction& instruction, AccessKind kind, uint32_t bytes, TexelAccess& access);

}  // namespace assay::vgpu
