// SPDX-License-Identifier: MIT
#include "device/virtual/virtual_texture.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace assay::device {
namespace {

using vgpu::AddressMode;
using vgpu::TexelFormat;
using vgpu::TextureShape;

template <class Value>
struct Named {
  std::string_view name;
  Value value;
};

constexpr std::array<Named<TextureShape>, 9> kShapes = {{
    {"linear", TextureShape::linear},
    {"pitch", TextureShape::d2},
    {"1d", TextureShape::d1},
    {"2d", TextureShape::d2},
    {"3d", TextureShape::d3},
    {"a1d", TextureShape::layered_d1},
    {"a2d", TextureShape::layered_d2},
    {"cube", TextureShape::cube},
    {"acube", TextureShape::layered_cube},
}};
constexpr std::array<Named<TexelFormat>, 8> kFormats = {{
    {"u8", TexelFormat::u8},
    {"i8", TexelFormat::s8},
    {"u16", TexelFormat::u16},
    {"i16", TexelFormat::s16},
    {"u32", TexelFormat::u32},
    {"i32", TexelFormat::s32},
    {"f16", TexelFormat::f16},
    {"f32", TexelFormat::f32},
}};
constexpr std::array<Named<AddressMode>, 4> kModes = {{
    {"wrap", AddressMode::wrap},
    {"clamp", AddressMode::clamp},
    {"mirror", AddressMode::mirror},
    {"border", AddressMode::border},
}};

template <class Value, size_t Count>
Result<Value> named(const std::array<Named<Value>, Count>& table, const std::string& name, const TextureRequest& of) {
  for (const Named<Value>& each : table) {
    if (each.name == name) return each.value;
  }
  return Error{fmt::format("texture '{}': there is no '{}'", of.name, name)};
}

// Each level is half as wide and high as the one before it, and as deep if it is a volume.
void add_levels(vgpu::Texture& texture, const std::vector<uint64_t>& addresses) {
  vgpu::Texture level = texture;
  const auto halve = [](int64_t& size) { size = std::max<int64_t>(1, size / 2); };
  for (const uint64_t address : addresses) {
    level.address = address;
    halve(level.width);
    halve(level.height);
    if (level.shape == TextureShape::d3) halve(level.slices);
    level.row_bytes = static_cast<uint64_t>(level.width) * level.texel_bytes();
    level.slice_bytes = level.row_bytes * static_cast<uint64_t>(level.height);
    texture.levels.push_back(level);
  }
}

}  // namespace

Result<vgpu::Texture> virtual_texture(const TextureRequest& request) {
  vgpu::Texture texture;
  texture.name = request.name;
  texture.is_surface = request.surface;
  ASSAY_TRY(texture.shape, named(kShapes, request.shape, request));
  ASSAY_TRY(texture.format, named(kFormats, request.dtype, request));
  texture.channels = request.channels;
  texture.address = request.address;
  texture.width = static_cast<int64_t>(request.width);
  texture.height = static_cast<int64_t>(request.height);
  texture.slices = static_cast<int64_t>(request.slices);
  texture.row_bytes = request.width * texture.texel_bytes();
  texture.slice_bytes = texture.row_bytes * request.height;
  texture.linear = request.linear;
  texture.normalised = request.normalised;
  texture.as_integer = !request.fractions && !vgpu::semantics::is_floating(texture.format);
  for (size_t i = 0; i < texture.modes.size() && i < request.address_modes.size(); ++i) {
    ASSAY_TRY(texture.modes[i], named(kModes, request.address_modes[i], request));
  }
  for (size_t i = 0; i < texture.border.size() && i < request.border.size(); ++i)
    texture.border[i] = static_cast<float>(request.border[i]);
  texture.srgb = request.srgb;
  texture.linear_levels = request.linear_levels;
  texture.level_bias = static_cast<float>(request.level_bias);
  texture.first_level = static_cast<float>(request.first_level);
  texture.last_level = static_cast<float>(request.last_level);
  add_levels(texture, request.levels);
  return texture;
}

}  // namespace assay::device
