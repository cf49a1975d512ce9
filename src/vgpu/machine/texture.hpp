// SPDX-License-Identifier: MIT
// Textures and surfaces: what a 64-bit object stands for, and which bytes of memory a fetch reads. Arrays lie in global
// memory row by row; how NVIDIA lays them out is secret, and no kernel can see it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

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

  uint32_t texel_bytes() const { return semantics::bytes_of(format) * channels; }
};

// The texels that a fetch reads, and how much of each is taken.
struct Footprint {
  struct Tap {
    bool border = false;
    uint64_t offset = 0;  // in bytes from the texture's first
  };
  std::array<Tap, 8> taps;
  size_t count = 0;
  bool zero_outside = false;  // instead of the border's colour
  bool filtered = false;
  semantics::TexelWeights weights;  // if it is filtered
};

struct TextureCoordinates {
  std::array<float, 3> place{};    // x, y, z
  std::array<int32_t, 3> texel{};  // instead of them, if `whole`
  int32_t layer = 0;
  bool whole = false;
};

// As txq and suq answer: width, height (0 of what has none), depth or layers (0 of what has none).
uint32_t queried_size(const Texture& texture, uint32_t axis);

Footprint footprint(const Texture& texture, const TextureCoordinates& at);
// tld4: the four texels that a linear filter would take, in the order of the result.
Footprint gather_footprint(const Texture& texture, const TextureCoordinates& at);

// Four channels as registers hold them. `texels` are the taps' bytes; those of the border are not looked at.
std::array<uint32_t, 4> sample(const Texture& texture, const Footprint& footprint,
                               const std::array<const std::byte*, 8>& texels);
// One channel of each of four taps.
std::array<uint32_t, 4> gather(const Texture& texture, const Footprint& footprint,
                               const std::array<const std::byte*, 8>& texels, size_t channel);

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
