// SPDX-License-Identifier: MIT
// What a texture unit computes: which texels a coordinate means, how much of each is taken, and their weighted sum.
// The CUDA programming guide (texture fetching) gives the formulas with 8 bits for weights; what it leaves open was
// measured on an NVIDIA H200 (tests/gpu/texture_truth.cu asks again): how normalised coordinates are cut, how weights
// of several axes are rounded, and how the sum is aligned and rounded.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace assay::vgpu::semantics {

enum class AddressMode : uint8_t { wrap, clamp, mirror, border };  // in the order of CUaddress_mode
enum class TexelFormat : uint8_t { u8, u16, u32, s8, s16, s32, f16, f32 };

constexpr uint32_t bytes_of(TexelFormat format) {
  switch (format) {
    case TexelFormat::u8:
    case TexelFormat::s8:
      return 1;
    case TexelFormat::u16:
    case TexelFormat::s16:
    case TexelFormat::f16:
      return 2;
    default:
      return 4;
  }
}
constexpr bool is_floating(TexelFormat format) {
  return format == TexelFormat::f16 || format == TexelFormat::f32;
}

inline constexpr int64_t kBorder = -1;         // instead of a texel: the border's colour
inline constexpr uint32_t kWholeWeight = 256;  // weights have 8 fractional bits

// Two neighbouring texels of one axis, and how much of the second one is taken. Without a filter only the first counts.
struct TexelPair {
  int64_t first = 0;
  int64_t second = 0;
  uint32_t weight = 0;
};

struct TextureAxis {
  int64_t size = 1;
  AddressMode mode = AddressMode::clamp;
};

enum class TexelFilter : uint8_t {
  point,
  linear,
  gather,  // the texels of a linear filter, without their weights
};

// Wrap and mirror need normalised coordinates; without, they clamp.
TexelPair texels_at(float coordinate, TextureAxis axis, bool normalised, TexelFilter filter);

// Of the eight texels around a place, whose index has a bit for each axis: x is bit 0, z is bit 2. Axes that a texture
// does not have get a weight of 0.
struct TexelWeights {
  std::array<uint32_t, 8> weights{};
  uint32_t touched = 0;  // a bit for each texel that has a part in the sum, though it may be rounded to nothing
};
TexelWeights texel_weights(uint32_t x, uint32_t y, uint32_t z);

// The sum of texels by their weights; the first four lie in one slice, the others in the next. The sum of halves is a
// half.
float weighted_sum(TexelFormat format, std::span<const float, 8> texels, const TexelWeights& weights);
// The same of integers of 8 or 16 bits that stand for fractions: summed as integers of 16 bits. Of s8 the hardware
// rounds about one sum in twenty to the other neighbour, by a rule that is not known.
float weighted_fraction(TexelFormat format, std::span<const uint32_t, 8> texels, const TexelWeights& weights);

// A number as a texel's channel holds it: the border's colour is stored in the texture's format.
uint32_t channel_bits_of(TexelFormat format, float value);

// One channel of a texel as a float: halves and floats as they are, integers of 8 and 16 bits scaled to [0, 1] or
// [-1, 1].
float channel_as_float(TexelFormat format, uint32_t bits);
// From a fraction in sRGB to linear light (IEC 61966-2-1), rounded to 8 significant binary digits: so are the four
// texels that are known of an H200.
float light_of_srgb(float value);
// As an integer of 32 bits: extended by its sign if it has one; floats keep their bits.
uint32_t channel_as_integer(TexelFormat format, uint32_t bits);

// What sust.p writes for a register: integers are limited to what the format holds, halves are cut off.
uint32_t channel_stored(TexelFormat format, uint32_t value);

// The face of a cube map that a direction meets, 0 to 5 for +x, -x, +y, -y, +z, -z, and where: -1 to 1.
struct CubePlace {
  uint32_t face = 0;
  float s = 0;
  float t = 0;
};
CubePlace cube_place(float x, float y, float z);

}  // namespace assay::vgpu::semantics
