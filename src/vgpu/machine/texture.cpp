// SPDX-License-Identifier: MIT
#include "vgpu/machine/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
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

namespace {

// The texels of one level, by themselves.
Footprint level_footprint(const Texture& texture, const TextureCoordinates& at) {
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
  result.count = kTexelsOfLevel;
  result.x_weight = axes.x.weight;
  result.y_weight = axes.y.weight;
  result.weights = semantics::texel_weights(axes.x.weight, axes.y.weight, axes.z.weight);
  for (size_t i = 0; i < kTexelsOfLevel; ++i) {
    result.taps[i] = tap_at(texture, (i & 1) != 0 ? axes.x.second : axes.x.first,
                            (i & 2) != 0 ? axes.y.second : axes.y.first, (i & 4) != 0 ? axes.z.second : axes.z.first);
  }
  return result;
}

// Which levels of a mipmap a fetch takes, and how much of the second one: the first is level 0, the texture itself.
struct LevelPair {
  size_t first = 0;
  size_t second = 0;
  uint32_t weight = 0;
};

// A level that is asked for loses what lies behind 8 fractional bits, towards zero, before the bias is added; a fetch
// that asks for none has no bias either, but keeps to the limits. An H200 does so.
double biased_level(const Texture& texture, std::optional<float> asked) {
  if (!asked) return 0;
  const double level = std::isnan(*asked) ? 0 : static_cast<double>(*asked);
  return std::trunc(level * semantics::kWholeWeight) / semantics::kWholeWeight +
         static_cast<double>(texture.level_bias);
}

LevelPair levels_at(const Texture& texture, std::optional<float> asked) {
  const auto last = static_cast<double>(texture.levels.size());
  const double biased = biased_level(texture, asked);
  const double low = std::clamp(static_cast<double>(texture.first_level), 0.0, last);
  const double high = std::clamp(static_cast<double>(texture.last_level), low, last);
  const auto level = static_cast<size_t>(std::clamp(biased, low, high) * semantics::kWholeWeight);
  if (!texture.linear_levels) {
    const size_t nearest = (level + semantics::kWholeWeight / 2) / semantics::kWholeWeight;
    return {nearest, nearest, 0};
  }
  const size_t first = level / semantics::kWholeWeight;
  return {first, std::min(first + 1, texture.levels.size()), static_cast<uint32_t>(level % semantics::kWholeWeight)};
}

const Texture& level_at(const Texture& texture, size_t level) {
  return level == 0 ? texture : texture.levels[level - 1];
}

// Offsets from the first texel of another level become offsets from the texture's.
void move_taps(Footprint& footprint, uint64_t by) {
  for (size_t i = 0; i < footprint.count; ++i) footprint.taps[i].offset += by;
}

// Images have four texels of either level, which are summed as the eight of a volume are: the level is the third axis.
Footprint mixed_images(const Footprint& near, const Footprint& far, uint32_t weight) {
  Footprint result = near;
  result.filtered = true;
  result.count = kTexelsOfLevel;
  for (size_t i = 0; i < 4; ++i) {
    result.taps[4 + i] = far.taps[far.filtered ? i : 0];
    if (!near.filtered) result.taps[i] = near.taps[0];
  }
  const semantics::TexelWeights first = semantics::texel_weights(near.x_weight, near.y_weight, weight);
  const semantics::TexelWeights second = semantics::texel_weights(far.x_weight, far.y_weight, weight);
  result.weights.touched = (first.touched & 0xfu) | (second.touched & 0xf0u);
  for (size_t i = 0; i < 4; ++i) {
    result.weights.weights[i] = first.weights[i];
    result.weights.weights[4 + i] = second.weights[4 + i];
  }
  return result;
}

Footprint mixed_volumes(const Footprint& near, const Footprint& far, uint32_t weight) {
  Footprint result = near;
  result.count = kMostTexels;
  result.far_weights = far.weights;
  result.level_weight = weight;
  for (size_t i = 0; i < kTexelsOfLevel; ++i) result.taps[kTexelsOfLevel + i] = far.taps[i];
  return result;
}

}  // namespace

Footprint footprint(const Texture& texture, const TextureCoordinates& at) {
  if (texture.levels.empty()) return level_footprint(texture, at);
  const LevelPair levels = levels_at(texture, at.level);
  const auto of_level = [&](size_t level) {
    Footprint result = level_footprint(level_at(texture, level), at);
    move_taps(result, level_at(texture, level).address - texture.address);
    return result;
  };
  Footprint near = of_level(levels.first);
  if (levels.weight == 0 || at.whole) return near;
  const Footprint far = of_level(levels.second);
  return near.filtered && texture.shape == TextureShape::d3 ? mixed_volumes(near, far, levels.weight)
                                                            : mixed_images(near, far, levels.weight);
}

namespace {

// How far a step moves on the face of a cube that `at` meets, in its coordinates from -1 to 1.
std::array<float, 2> step_on_face(const std::array<float, 3>& at, const std::array<float, 3>& step) {
  const auto face_of = [&](const std::array<float, 3>& of) -> std::array<float, 3> {
    const semantics::CubePlace place = semantics::cube_place(at[0], at[1], at[2]);
    const auto [x, y, z] = of;
    switch (place.face) {  // along the face twice, and away from the centre
      case 0:
        return {-z, -y, x};
      case 1:
        return {z, -y, -x};
      case 2:
        return {x, z, y};
      case 3:
        return {x, -z, -y};
      case 4:
        return {x, -y, z};
      default:
        return {-x, -y, -z};
    }
  };
  const std::array<float, 3> place = face_of(at);
  const std::array<float, 3> moved = face_of(step);
  const float away = place[2] * place[2];
  if (away == 0) return {};
  return {(moved[0] * place[2] - place[0] * moved[2]) / away, (moved[1] * place[2] - place[1] * moved[2]) / away};
}

}  // namespace

float level_of(const Texture& texture, const TextureCoordinates& at, const std::array<float, 3>& dx,
               const std::array<float, 3>& dy) {
  const auto length = [&](const std::array<float, 3>& step) {
    const auto width = static_cast<float>(texture.width);
    if (is_cube(texture.shape)) {
      const std::array<float, 2> on_face = step_on_face(at.place, step);
      return std::hypot(on_face[0] * width / 2, on_face[1] * width / 2);
    }
    const float y = has_height(texture.shape) ? step[1] * static_cast<float>(texture.height) : 0;
    const float z = texture.shape == TextureShape::d3 ? step[2] * static_cast<float>(texture.slices) : 0;
    return std::hypot(step[0] * width, y, z);
  };
  const float longest = std::max(length(dx), length(dy));
  if (!(longest > 0)) return 0;
  // An H200 estimates it to about one part in 256. What lies just below such a part, as rounded steps of whole and half
  // levels do, has that part there but for a few sizes: no rule is known that gives them all.
  constexpr float kNearly = 0.125f;
  return std::floor(std::log2(longest) * semantics::kWholeWeight + kNearly) / semantics::kWholeWeight;
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

bool holds_light(const Texture& texture, size_t channel) {
  constexpr size_t kAlpha = 3;
  return texture.srgb && (channel == 0 || (texture.channels == 4 && channel < kAlpha));
}

float channel_float(const Texture& texture, uint32_t bits, size_t channel) {
  const float value = semantics::channel_as_float(texture.format, bits);
  return holds_light(texture, channel) ? semantics::light_of_srgb(value) : value;
}

// What a register gets for it. Channels that a texel does not have are 0.
uint32_t channel_value(const Texture& texture, const Footprint& footprint, size_t tap, const std::byte* texel,
                       size_t channel) {
  if (channel >= texture.channels) return 0;
  const uint32_t bits = channel_bits(texture, footprint, tap, texel, channel);
  return texture.as_integer ? semantics::channel_as_integer(texture.format, bits)
                            : std::bit_cast<uint32_t>(channel_float(texture, bits, channel));
}

// The sum of eight texels from `first` on.
float filtered(const Texture& texture, const Footprint& footprint, const TexelPointers& texels, size_t first,
               size_t channel) {
  const semantics::TexelWeights& weights = first == 0 ? footprint.weights : footprint.far_weights;
  std::array<uint32_t, kTexelsOfLevel> bits{};
  std::array<float, kTexelsOfLevel> values{};
  for (size_t i = 0; i < kTexelsOfLevel; ++i) {
    if ((weights.touched >> i & 1) == 0) continue;
    bits[i] = channel_bits(texture, footprint, first + i, texels[first + i], channel);
    values[i] = channel_float(texture, bits[i], channel);
  }
  if (semantics::is_floating(texture.format)) return semantics::weighted_sum(texture.format, values, weights);
  if (holds_light(texture, channel)) return semantics::weighted_sum(TexelFormat::f32, values, weights);
  return semantics::weighted_fraction(texture.format, bits, weights);
}

}  // namespace

std::array<uint32_t, 4> sample(const Texture& texture, const Footprint& footprint, const TexelPointers& texels) {
  std::array<uint32_t, 4> result{};
  for (size_t channel = 0; channel < 4; ++channel) {
    if (!footprint.filtered || channel >= texture.channels) {
      result[channel] = channel_value(texture, footprint, 0, texels[0], channel);
      continue;
    }
    float sum = filtered(texture, footprint, texels, 0, channel);
    if (footprint.count == kMostTexels) {
      const std::array<float, kTexelsOfLevel> levels = {
          sum, 0, 0, 0, filtered(texture, footprint, texels, kTexelsOfLevel, channel), 0, 0, 0};
      const TexelFormat format = texture.format == TexelFormat::f16 ? TexelFormat::f16 : TexelFormat::f32;
      sum = semantics::weighted_sum(format, levels, semantics::texel_weights(0, 0, footprint.level_weight));
    }
    result[channel] = std::bit_cast<uint32_t>(sum);
  }
  return result;
}

std::array<uint32_t, 4> gather(const Texture& texture, const Footprint& footprint, const TexelPointers& texels,
                               size_t channel) {
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
