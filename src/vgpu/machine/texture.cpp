// SPDX-License-Identifier: MIT
#include "vgpu/machine/texture.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace assay::vgpu {
namespace {

using semantics::kBorder;
using semantics::TexelFilter;
using semantics::TexelPair;
using semantics::TextureAxis;

struct Axes {
  TexelPair x, y, z;
};

Footprint::Tap tap_at(const Texture& texture, int64_t x, int64_t y, int64_t slice) {
  if (x == kBorder || y == kBorder || slice == kBorder) return {true, 0};
  return {false, static_cast<uint64_t>(slice) * texture.slice_bytes + static_cast<uint64_t>(y) * texture.row_bytes +
                     static_cast<uint64_t>(x) * texture.texel_bytes()};
}

bool has_height(TextureShape shape) {
  return shape != TextureShape::linear && shape != TextureShape::d1 && shape != TextureShape::layered_d1;
}
bool has_layers(TextureShape shape) {
  return shape == TextureShape::layered_d1 || shape == TextureShape::layered_d2;
}

TexelPair single(int64_t texel) {
  return {texel, texel, 0};
}

// Memory behind a linear texture ends where it ends, whatever the address mode: what lies outside is zero.
Footprint linear_footprint(const Texture& texture, const TextureCoordinates& at) {
  const int64_t texel =
      at.whole ? at.texel[0] : semantics::texels_at(at.place[0], {INT32_MAX}, false, TexelFilter::point).first;
  Footprint result;
  result.count = 1;
  result.zero_outside = true;
  const bool inside = texel >= 0 && texel < texture.width;
  result.taps[0] = tap_at(texture, inside ? texel : kBorder, 0, 0);
  return result;
}

bool is_cube(TextureShape shape) {
  return shape == TextureShape::cube || shape == TextureShape::layered_cube;
}

// A direction meets a face; beyond its edges nothing is filtered.
Axes cube_axes(const Texture& texture, const TextureCoordinates& at, TexelFilter filter) {
  const semantics::CubePlace place = semantics::cube_place(at.place[0], at.place[1], at.place[2]);
  const TextureAxis axis{texture.width, AddressMode::clamp};
  Axes axes;
  axes.x = semantics::texels_at((place.s + 1) / 2, axis, true, filter);
  axes.y = semantics::texels_at((place.t + 1) / 2, axis, true, filter);
  int64_t cube = 0;
  if (texture.shape == TextureShape::layered_cube)
    cube = std::min(int64_t{static_cast<uint32_t>(at.layer)}, texture.slices / 6 - 1);
  axes.z = single(cube * 6 + place.face);
  return axes;
}

Axes axes_of(const Texture& texture, const TextureCoordinates& at, TexelFilter filter) {
  if (is_cube(texture.shape)) return cube_axes(texture, at, filter);
  // Integer coordinates name texels, whatever the address mode is: those outside are zero.
  const auto whole = [](int64_t texel, int64_t size) { return single(texel >= 0 && texel < size ? texel : kBorder); };
  const auto axis = [&](size_t index, int64_t size) -> TexelPair {
    const TextureAxis described{size, texture.modes[index]};
    if (at.whole) return whole(at.texel[index], size);
    return semantics::texels_at(at.place[index], described, texture.normalised, filter);
  };
  Axes axes;
  axes.x = axis(0, texture.width);
  if (has_height(texture.shape)) axes.y = axis(1, texture.height);
  if (texture.shape == TextureShape::d3) axes.z = axis(2, texture.slices);
  if (has_layers(texture.shape) && at.whole) axes.z = whole(at.layer, texture.slices);
  if (has_layers(texture.shape) && !at.whole)
    axes.z = single(std::min(int64_t{static_cast<uint32_t>(at.layer)}, texture.slices - 1));
  return axes;
}

}  // namespace

std::string_view to_string(TextureShape shape) {
  constexpr std::array<std::string_view, 8> kNames = {"linear",     "1d",         "2d",   "3d",
                                                      "layered 1d", "layered 2d", "cube", "layered cube"};
  return kNames[static_cast<size_t>(shape)];
}

uint32_t queried_size(const Texture& texture, uint32_t axis) {
  const bool deep = texture.shape == TextureShape::d3 || has_layers(texture.shape);
  if (axis == 0) return static_cast<uint32_t>(texture.width);
  if (axis == 1) return has_height(texture.shape) ? static_cast<uint32_t>(texture.height) : 0;
  return deep ? static_cast<uint32_t>(texture.slices) : 0;
}

Footprint footprint(const Texture& texture, const TextureCoordinates& at) {
  if (texture.shape == TextureShape::linear) return linear_footprint(texture, at);
  const bool linear = texture.linear && !at.whole;
  const Axes axes = axes_of(texture, at, linear ? TexelFilter::linear : TexelFilter::point);
  Footprint result;
  result.zero_outside = at.whole;
  if (!linear) {
    result.count = 1;
    result.taps[0] = tap_at(texture, axes.x.first, axes.y.first, axes.z.first);
    return result;
  }
  result.filtered = true;
  result.count = 8;
  result.weights = semantics::texel_weights(axes.x.weight, axes.y.weight, axes.z.weight);
  for (size_t i = 0; i < 8; ++i) {
    result.taps[i] = tap_at(texture, (i & 1) != 0 ? axes.x.second : axes.x.first,
                            (i & 2) != 0 ? axes.y.second : axes.y.first, (i & 4) != 0 ? axes.z.second : axes.z.first);
  }
  return result;
}

Footprint gather_footprint(const Texture& texture, const TextureCoordinates& at) {
  const Axes axes = axes_of(texture, at, TexelFilter::gather);
  Footprint result;
  result.count = 4;
  result.taps[0] = tap_at(texture, axes.x.first, axes.y.second, axes.z.first);
  result.taps[1] = tap_at(texture, axes.x.second, axes.y.second, axes.z.first);
  result.taps[2] = tap_at(texture, axes.x.second, axes.y.first, axes.z.first);
  result.taps[3] = tap_at(texture, axes.x.first, axes.y.first, axes.z.first);
  return result;
}

namespace {

uint32_t channel_bits(const Texture& texture, const std::byte* texel, size_t channel) {
  uint32_t bits = 0;
  const uint32_t bytes = semantics::bytes_of(texture.format);
  std::memcpy(&bits, texel + channel * bytes, bytes);
  return bits;
}

// One channel of a texel, or of the border: that is zero where integer coordinates miss, and in textures of integers of
// 8 and 16 bits that are read as they are.
uint32_t channel_bits(const Texture& texture, const Footprint& footprint, size_t tap, const std::byte* texel,
                      size_t channel) {
  if (!footprint.taps[tap].border) return channel_bits(texture, texel, channel);
  const bool narrow = semantics::bytes_of(texture.format) < 4;
  if (footprint.zero_outside || (texture.as_integer && narrow)) return 0;
  return semantics::channel_bits_of(texture.format, texture.border[channel]);
}

// What a register gets for it. Channels that a texel does not have are 0.
uint32_t channel_value(const Texture& texture, const Footprint& footprint, size_t tap, const std::byte* texel,
                       size_t channel) {
  if (channel >= texture.channels) return 0;
  const uint32_t bits = channel_bits(texture, footprint, tap, texel, channel);
  return texture.as_integer ? semantics::channel_as_integer(texture.format, bits)
                            : std::bit_cast<uint32_t>(semantics::channel_as_float(texture.format, bits));
}

}  // namespace

std::array<uint32_t, 4> sample(const Texture& texture, const Footprint& footprint,
                               const std::array<const std::byte*, 8>& texels) {
  std::array<uint32_t, 4> result{};
  for (size_t channel = 0; channel < 4; ++channel) {
    if (!footprint.filtered || channel >= texture.channels) {
      result[channel] = channel_value(texture, footprint, 0, texels[0], channel);
      continue;
    }
    std::array<uint32_t, 8> bits{};
    std::array<float, 8> values{};
    for (size_t i = 0; i < 8; ++i) {
      if ((footprint.weights.touched >> i & 1) == 0) continue;
      bits[i] = channel_bits(texture, footprint, i, texels[i], channel);
      values[i] = semantics::channel_as_float(texture.format, bits[i]);
    }
    const float sum = semantics::is_floating(texture.format)
                          ? semantics::weighted_sum(texture.format, values, footprint.weights)
                          : semantics::weighted_fraction(texture.format, bits, footprint.weights);
    result[channel] = std::bit_cast<uint32_t>(sum);
  }
  return result;
}

std::array<uint32_t, 4> gather(const Texture& texture, const Footprint& footprint,
                               const std::array<const std::byte*, 8>& texels, size_t channel) {
  std::array<uint32_t, 4> result{};
  for (size_t i = 0; i < 4; ++i) result[i] = channel_value(texture, footprint, i, texels[i], channel);
  return result;
}

uint64_t TextureTable::add(Texture texture) {
  // Like a real object, and unlike any address: a kernel that takes one for the other is found out.
  constexpr uint64_t kBase = uint64_t{1} << 56;
  const uint64_t object = kBase | next_++;
  textures_.emplace(object, std::move(texture));
  return object;
}

bool TextureTable::remove(uint64_t object) {
  return textures_.erase(object) != 0;
}

const Texture* TextureTable::find(uint64_t object) const {
  const auto found = textures_.find(object);
  return found == textures_.end() ? nullptr : &found->second;
}

}  // namespace assay::vgpu
