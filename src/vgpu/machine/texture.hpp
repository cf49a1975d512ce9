// SPDX-License-Identifier: MIT
// Textures and surfaces: what a 64-bit object stands for, and which bytes of memory a fetch reads. Arrays lie in global
// memory row by row; how NVIDIA lays them out is secret, and no kernel can see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vgpu/semantics/texture.hpp"

namespace assay::vgpu {

using semantics::AddressMode;
using semantics::TexelFormat;

enum class TextureShape : uint8_t {
  linear,  // of linear memory: tex1Dfetch alone
  d1,
  d2,
  d3,
  layered_d1,
  layered_d2,
  cube,
  layered_cube,
};
std::string_view to_string(TextureShape shape);

struct Texture {
  std::string name;  // of the argument, for reports
  bool is_surface = false;
  TextureShape shape = TextureShape::d2;
  TexelFormat format = TexelFormat::f32;
  uint32_t channels = 1;
  uint64_t address = 0;
  int64_t width = 1;
  int64_t height = 1;
  int64_t slices = 1;  // depth, or layers, or six faces for each cube
  uint64_t row_bytes = 0;
  uint64_t slice_bytes = 0;
  // of a texture alone
  std::array<AddressMode, 3> modes{AddressMode::clamp, AddressMode::clamp, AddressMode::clamp};
  bool linear = false;
  bool normalised = false;
  bool as_integer = false;  // integers are read as they are, not as fractions of the largest one
  std::array<float, 4> border{};
  bool srgb =
      false;  // fractions of u8 are sRGB, and read as linear light; of two channels the second is not, of four the last
  // of a mipmap
  std::vector<Texture> levels;  // 1, 2, ...: the same texture, half as wide and high
  bool linear_levels = false;   // a fetch between two levels takes its part of both
  float level_bias = 0;
  float first_level = 0;  // what a fetch asks for is limited to these
  float last_level = 0;

  uint32_t texel_bytes() const { return semantics::bytes_of(format) * channels; }
};

inline constexpr size_t kTexelsOfLevel = 8;
inline constexpr size_t kMostTexels = 16;  // of two levels of a volume

// The texels that a fetch reads, and how much of each is taken.
struct Footprint {
  struct Tap {
    bool border = false;
    uint64_t offset = 0;  // in bytes from the texture's first; another level may lie before it, modulo 2^64
  };
  std::array<Tap, kMostTexels> taps;
  size_t count = 0;
  bool zero_outside = false;  // instead of the border's colour
  bool filtered = false;
  uint32_t x_weight = 0;  // of the second texel of each axis, if it is filtered
  uint32_t y_weight = 0;
  semantics::TexelWeights weights;
  semantics::TexelWeights far_weights;  // of the last eight of sixteen, which are another level of a volume
  uint32_t level_weight = 0;            // of that level

  bool takes(size_t tap) const {
    const semantics::TexelWeights& of = tap < kTexelsOfLevel ? weights : far_weights;
    return tap < count && !taps[tap].border && (!filtered || (of.touched >> tap % kTexelsOfLevel & 1) != 0);
  }
};
using TexelPointers = std::array<const std::byte*, kMostTexels>;

struct TextureCoordinates {
  std::array<float, 3> place{};    // x, y, z
  std::array<int32_t, 3> texel{};  // instead of them, if `whole`
  int32_t layer = 0;
  bool whole = false;
  std::optional<float> level;  // of a mipmap; without one the first, and no bias is added
};

// As txq and suq answer: width, height (0 of what has none), depth or layers (0 of what has none).
uint32_t queried_size(const Texture& texture, uint32_t axis);

Footprint footprint(const Texture& texture, const TextureCoordinates& at);
// The level at which neighbouring fetches, whose coordinates differ by dx and dy, are one texel apart.
float level_of(const Texture& texture, const TextureCoordinates& at, const std::array<float, 3>& dx,
               const std::array<float, 3>& dy);
// tld4: the four texels that a linear filter would take, in the order of the result.
Footprint gather_footprint(const Texture& texture, const TextureCoordinates& at);

// Four channels as registers hold them. `texels` are the taps' bytes; those of the border are not looked at.
std::array<uint32_t, 4> sample(const Texture& texture, const Footprint& footprint, const TexelPointers& texels);
// One channel of each of four taps.
std::array<uint32_t, 4> gather(const Texture& texture, const Footprint& footprint, const TexelPointers& texels,
                               size_t channel);

// The objects of a GPU, by the numbers that kernels get for them.
class TextureTable {
 public:
  uint64_t add(Texture texture);
  bool remove(uint64_t object);
  const Texture* find(uint64_t object) const;

 private:
  std::map<uint64_t, Texture> textures_;
  uint64_t next_ = 1;
};

}  // namespace assay::vgpu
