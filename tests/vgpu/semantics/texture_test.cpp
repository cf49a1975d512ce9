// SPDX-License-Identifier: MIT
// Texture filtering beside a plain model of the CUDA programming guide's formulas, and beside what an H200 gave.
#include "vgpu/semantics/texture.hpp"

#include <bit>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <vector>

#include "base/random.hpp"
#include "vgpu/machine/texture.hpp"

namespace assay::vgpu {
namespace {

using semantics::TexelFilter;

// --- the plain model: real numbers, texel by texel, with the guide's weights of 8 fractional bits

double wrapped(double x, AddressMode mode, int64_t size, bool normalised) {
  if (!normalised) return x;
  if (mode == AddressMode::wrap) return (x - std::floor(x)) * static_cast<double>(size);
  if (mode != AddressMode::mirror) return x * static_cast<double>(size);
  const double turns = std::floor(x);
  const double rest = x - turns;
  return (std::fmod(std::fabs(turns), 2.0) == 0 ? rest : 1 - rest) * static_cast<double>(size);
}

double texel(const std::vector<float>& row, int64_t at, AddressMode mode, bool normalised) {
  const auto size = static_cast<int64_t>(row.size());
  if (mode == AddressMode::border && (at < 0 || at >= size)) return 0;
  if (mode == AddressMode::wrap && normalised) at = ((at % size) + size) % size;
  return row[static_cast<size_t>(std::clamp<int64_t>(at, 0, size - 1))];
}

double plain_linear(const std::vector<float>& row, double x, AddressMode mode, bool normalised) {
  const double place = wrapped(x, mode, static_cast<int64_t>(row.size()), normalised) - 0.5;
  const double first = std::floor(place);
  const double weight = std::round((place - first) * 256) / 256;
  const auto at = static_cast<int64_t>(first);
  return (1 - weight) * texel(row, at, mode, normalised) + weight * texel(row, at + 1, mode, normalised);
}

std::vector<float> random_row(Random& random, size_t size) {
  std::vector<float> row(size);
  for (float& each : row) each = static_cast<float>(random.uniform() * 2 - 1);
  return row;
}

Texture row_texture(const std::vector<float>& row, AddressMode mode, bool normalised, bool linear) {
  Texture texture;
  texture.shape = TextureShape::d1;
  texture.width = static_cast<int64_t>(row.size());
  texture.row_bytes = texture.slice_bytes = row.size() * sizeof(float);
  texture.modes.fill(mode);
  texture.normalised = normalised;
  texture.linear = linear;
  return texture;
}

float sample_at(const Texture& texture, const std::vector<float>& texels, const std::array<float, 3>& place) {
  TextureCoordinates at;
  at.place = place;
  const Footprint taps = footprint(texture, at);
  TexelPointers pointers{};
  const auto* const bytes = reinterpret_cast<const std::byte*>(texels.data());
  for (size_t i = 0; i < taps.count; ++i) {
    if (!taps.taps[i].border) pointers[i] = bytes + taps.taps[i].offset;
  }
  return std::bit_cast<float>(sample(texture, taps, pointers)[0]);
}

constexpr std::array kModes = {AddressMode::wrap, AddressMode::clamp, AddressMode::mirror, AddressMode::border};

TEST(TextureFilter, AgreesWithThePlainModelInEveryAddressMode) {
  Random random(17);
  for (const AddressMode mode : kModes) {
    for (const bool normalised : {false, true}) {
      const std::vector<float> row = random_row(random, 2 + random.below(40));
      const Texture texture = row_texture(row, mode, normalised, true);
      // Without normalised coordinates there is no wrapping.
      const AddressMode effective = !normalised && mode != AddressMode::border ? AddressMode::clamp : mode;
      for (int i = 0; i < 2000; ++i) {
        const double size = normalised ? 1 : static_cast<double>(row.size());
        const auto x = static_cast<float>((random.uniform() * 5 - 2) * size);
        const double expected = plain_linear(row, x, effective, normalised);
        // A weight may lie one step further: coordinates are cut off and rounded by rules of their own.
        EXPECT_NEAR(sample_at(texture, row, {{x}}), expected, 2.5 / 256) << static_cast<int>(mode) << " at " << x;
      }
    }
  }
}

TEST(TextureFilter, TakesTheTexelThatHoldsThePoint) {
  Random random(18);
  for (const AddressMode mode : kModes) {
    const std::vector<float> row = random_row(random, 16);
    const Texture texture = row_texture(row, mode, true, false);
    for (int i = 0; i < 500; ++i) {
      // Quarters of texels: no rounding decides.
      const float x = (static_cast<float>(random.below(300)) - 100 + 0.25f) / 16;
      const double place = wrapped(x, mode, 16, true);
      EXPECT_EQ(sample_at(texture, row, {{x}}), texel(row, static_cast<int64_t>(std::floor(place)), mode, true));
    }
  }
}

TEST(TextureFilter, GivesThreeDimensionsTheirParts) {
  Random random(19);
  const std::vector<float> texels = random_row(random, 4 * 3 * 2);
  Texture texture = row_texture(texels, AddressMode::clamp, false, true);
  texture.shape = TextureShape::d3;
  texture.width = 4, texture.height = 3, texture.slices = 2;
  texture.row_bytes = 16, texture.slice_bytes = 48;
  for (int i = 0; i < 2000; ++i) {
    const std::array<float, 3> at{static_cast<float>(random.uniform() * 4), static_cast<float>(random.uniform() * 3),
                                  static_cast<float>(random.uniform() * 2)};
    double expected = 0;
    for (int corner = 0; corner < 8; ++corner) {
      double part = 1;
      size_t index = 0;
      const std::array<int64_t, 3> sizes{4, 3, 2};
      const std::array<size_t, 3> strides{1, 4, 12};
      for (size_t d = 0; d < 3; ++d) {
        const double place = at[d] - 0.5;
        const double weight = place - std::floor(place);
        const bool second = (corner >> d & 1) != 0;
        part *= second ? weight : 1 - weight;
        const int64_t texel_index = static_cast<int64_t>(std::floor(place)) + (second ? 1 : 0);
        index += static_cast<size_t>(std::clamp<int64_t>(texel_index, 0, sizes[d] - 1)) * strides[d];
      }
      expected += part * texels[index];
    }
    EXPECT_NEAR(sample_at(texture, texels, {at}), expected, 8.0 / 256);
  }
}

TEST(TextureFilter, SharesOneWholeAmongItsWeights) {
  for (uint32_t x = 0; x < 256; x += 5) {
    for (uint32_t y = 0; y < 256; y += 7) {
      for (const uint32_t z : {0u, 1u, 127u, 128u, 255u}) {
        uint32_t sum = 0;
        for (const uint32_t weight : semantics::texel_weights(x, y, z).weights) sum += weight;
        EXPECT_EQ(sum, semantics::kWholeWeight);
      }
    }
  }
}

TEST(TextureFilter, KeepsInfinitiesAndNansOfTexelsThatItTouches) {
  const float infinity = std::numeric_limits<float>::infinity();
  const std::vector<float> row{1, infinity, 2, std::nanf("")};
  const Texture texture = row_texture(row, AddressMode::clamp, false, true);
  EXPECT_EQ(sample_at(texture, row, {{0.5f}}), 1.0f);
  EXPECT_EQ(sample_at(texture, row, {{1.0f}}), infinity);
  EXPECT_EQ(sample_at(texture, row, {{2.5f}}), 2.0f);
  EXPECT_TRUE(std::isnan(sample_at(texture, row, {{2.6f}})));
}

TEST(TexelFormats, AreReadAsFractionsOrAsTheyAre) {
  using enum TexelFormat;
  EXPECT_EQ(semantics::channel_as_float(u8, 255), 1.0f);
  EXPECT_EQ(semantics::channel_as_float(s8, 0x80), -1.0f);
  EXPECT_EQ(semantics::channel_as_float(s8, 0x81), -1.0f);
  EXPECT_EQ(semantics::channel_as_float(u16, 65535), 1.0f);
  EXPECT_EQ(semantics::channel_as_float(s16, 0x7fff), 1.0f);
  EXPECT_EQ(semantics::channel_as_float(f16, 0x3c00), 1.0f);
  EXPECT_EQ(semantics::channel_as_integer(s8, 0xff), 0xffffffffu);
  EXPECT_EQ(semantics::channel_as_integer(u8, 0xff), 0xffu);
  EXPECT_EQ(semantics::channel_as_integer(s16, 0x8000), 0xffff8000u);
}

TEST(TexelFormats, LimitWhatIsStored) {
  using enum TexelFormat;
  EXPECT_EQ(semantics::channel_stored(u8, 300), 255u);
  EXPECT_EQ(semantics::channel_stored(s8, static_cast<uint32_t>(-300)), 0x80u);
  EXPECT_EQ(semantics::channel_stored(s16, 40000), 0x7fffu);
  EXPECT_EQ(semantics::channel_stored(f16, std::bit_cast<uint32_t>(1.9999f)), 0x3fffu);  // cut off
  EXPECT_EQ(semantics::channel_stored(f32, 0x3f800000), 0x3f800000u);
}

TEST(CubeMaps, HaveSixFaces) {
  EXPECT_EQ(semantics::cube_place(1, 0, 0).face, 0u);
  EXPECT_EQ(semantics::cube_place(-1, 0, 0).face, 1u);
  EXPECT_EQ(semantics::cube_place(0, 1, 0).face, 2u);
  EXPECT_EQ(semantics::cube_place(0, -1, 0).face, 3u);
  EXPECT_EQ(semantics::cube_place(0, 0, 1).face, 4u);
  EXPECT_EQ(semantics::cube_place(0, 0, -1).face, 5u);
}

// --- what the hardware gave

struct TruthSection {
  Texture texture;
  std::vector<std::byte> texels;
};

std::vector<std::byte> bytes_of_hex(const std::string& text) {
  std::vector<std::byte> bytes;
  for (size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

// "texture RANK WIDTH HEIGHT SLICES FORMAT CHANNELS LINEAR MODE NORMALISED AS_INTEGER TEXELS", then a line for each
// fetch: coordinates and results as the bits of floats.
TruthSection read_section(std::istringstream& line) {
  TruthSection section;
  int rank = 0, format = 0, mode = 0;
  std::string texels;
  Texture& texture = section.texture;
  line >> rank >> texture.width >> texture.height >> texture.slices >> format >> texture.channels >> texture.linear >>
      mode >> texture.normalised >> texture.as_integer >> texels;
  texture.shape = rank == 1 ? TextureShape::d1 : rank == 2 ? TextureShape::d2 : TextureShape::d3;
  texture.format = static_cast<TexelFormat>(format);
  texture.modes.fill(static_cast<AddressMode>(mode));
  texture.border = {0.25f, 0.5f, 2, -1};
  texture.row_bytes = static_cast<uint64_t>(texture.width) * texture.texel_bytes();
  texture.slice_bytes = texture.row_bytes * static_cast<uint64_t>(texture.height);
  section.texels = bytes_of_hex(texels);
  return section;
}

TEST(TextureTruth, IsWhatAnH200Gave) {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/vgpu/semantics/texture_h200.txt");
  ASSERT_TRUE(file.good());
  TruthSection section;
  int fetches = 0;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "texture") {
      section = read_section(line);
      ASSERT_EQ(section.texels.size(), section.texture.slice_bytes * static_cast<uint64_t>(section.texture.slices));
      continue;
    }
    if (word != "fetch") continue;
    std::array<uint32_t, 4> bits{};
    line >> std::hex >> bits[0] >> bits[1] >> bits[2] >> bits[3];
    TextureCoordinates at;
    for (size_t i = 0; i < 3; ++i) at.place[i] = std::bit_cast<float>(bits[i]);
    const Footprint taps = footprint(section.texture, at);
    TexelPointers pointers{};
    for (size_t i = 0; i < taps.count; ++i) {
      if (!taps.taps[i].border) pointers[i] = section.texels.data() + taps.taps[i].offset;
    }
    EXPECT_EQ(sample(section.texture, taps, pointers)[0], bits[3]) << text << " #" << fetches;
    ++fetches;
  }
  EXPECT_GT(fetches, 900);
}

}  // namespace
}  // namespace assay::vgpu
