// SPDX-License-Identifier: MIT
// Mipmaps beside a plain model: each level filtered by itself with weights of 8 fractional bits, as the CUDA
// programming guide has them, and two levels mixed with such a weight; and beside what an H200 gave.
#include <bit>
#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <vector>

#include "base/random.hpp"
#include "vgpu/machine/texture.hpp"

namespace assay::vgpu {
namespace {

// All levels lie one after another; the texture's addresses are offsets in them.
struct Images {
  Texture texture;
  std::vector<float> texels;
};

void set_image(Texture& texture, int64_t width, int64_t height, int64_t slices, uint64_t address) {
  texture.width = width, texture.height = height, texture.slices = slices;
  texture.row_bytes = static_cast<uint64_t>(width) * texture.texel_bytes();
  texture.slice_bytes = texture.row_bytes * static_cast<uint64_t>(height);
  texture.address = address;
}

uint64_t image_bytes(const Texture& texture) {
  return texture.slice_bytes * static_cast<uint64_t>(texture.slices);
}

// Levels behind the first one, half as large each.
void add_images(Images& images, size_t levels) {
  Texture level = images.texture;
  uint64_t end = level.address + image_bytes(level);
  for (size_t i = 0; i < levels; ++i) {
    const auto half = [](int64_t size) { return std::max<int64_t>(1, size / 2); };
    const int64_t slices = level.shape == TextureShape::d3 ? half(level.slices) : level.slices;
    set_image(level, half(level.width), half(level.height), slices, end);
    end += image_bytes(level);
    images.texture.levels.push_back(level);
  }
  images.texture.last_level = static_cast<float>(levels);
  images.texels.resize(end / sizeof(float));
}

Images made(TextureShape shape, int64_t width, int64_t height, int64_t slices, bool linear, bool linear_levels) {
  Images images;
  images.texture.shape = shape;
  images.texture.normalised = true;
  images.texture.linear = linear;
  images.texture.linear_levels = linear_levels;
  set_image(images.texture, width, height, slices, 0);
  add_images(images, 3);
  return images;
}

float fetched(const Images& images, const TextureCoordinates& at) {
  const Footprint taps = footprint(images.texture, at);
  TexelPointers pointers{};
  const auto* const bytes = reinterpret_cast<const std::byte*>(images.texels.data());
  for (size_t i = 0; i < taps.count; ++i) {
    if (taps.takes(i)) pointers[i] = bytes + images.texture.address + taps.taps[i].offset;
  }
  return std::bit_cast<float>(sample(images.texture, taps, pointers)[0]);
}

TextureCoordinates place(float x, float y, float z, float level) {
  TextureCoordinates at;
  at.place = {x, y, z};
  at.level = level;
  return at;
}

// --- the plain model: real numbers, one level after another

double along(double place, int64_t size, bool linear, int64_t& first, int64_t& second) {
  const double at = place * static_cast<double>(size) - (linear ? 0.5 : 0);
  const auto limited = [&](double texel) {
    return static_cast<int64_t>(std::clamp(texel, 0.0, static_cast<double>(size - 1)));
  };
  first = limited(std::floor(at));
  second = limited(std::floor(at) + 1);
  return linear ? std::round((at - std::floor(at)) * 256) / 256 : 0;
}

double plain_level(const Images& images, const Texture& level, const TextureCoordinates& at) {
  int64_t x[2], y[2], z[2] = {0, 0};
  const double wx = along(at.place[0], level.width, level.linear, x[0], x[1]);
  const double wy = along(at.place[1], level.height, level.linear, y[0], y[1]);
  double wz = 0;
  if (level.shape == TextureShape::d3) wz = along(at.place[2], level.slices, level.linear, z[0], z[1]);
  double sum = 0;
  for (size_t i = 0; i < 8; ++i) {
    const size_t right = i & 1, down = i >> 1 & 1, deep = i >> 2;
    const double weight = (right != 0 ? wx : 1 - wx) * (down != 0 ? wy : 1 - wy) * (deep != 0 ? wz : 1 - wz);
    const auto texel = static_cast<size_t>((z[deep] * level.height + y[down]) * level.width + x[right]);
    sum += weight * static_cast<double>(images.texels[level.address / sizeof(float) + texel]);
  }
  return sum;
}

double plain_fetch(const Images& images, const TextureCoordinates& at) {
  const Texture& texture = images.texture;
  const auto last = static_cast<double>(texture.levels.size());
  double level = std::clamp(static_cast<double>(at.level.value_or(0) + texture.level_bias),
                            static_cast<double>(texture.first_level), static_cast<double>(texture.last_level));
  level = std::clamp(level, 0.0, last);
  const auto of = [&](double index) -> const Texture& {
    return index < 1 ? texture : texture.levels[static_cast<size_t>(index) - 1];
  };
  if (!texture.linear_levels) return plain_level(images, of(std::floor(level + 0.5)), at);
  const double low = std::floor(level);
  const double part = std::floor((level - low) * 256) / 256;
  const double first = plain_level(images, of(low), at);
  return part == 0 ? first : (1 - part) * first + part * plain_level(images, of(std::min(low + 1, last)), at);
}

TEST(Mipmap, AgreesWithThePlainModel) {
  Random random(17);
  for (const TextureShape shape : {TextureShape::d2, TextureShape::d3}) {
    for (const bool linear : {false, true}) {
      for (const bool linear_levels : {false, true}) {
        Images images = made(shape, 24, 20, shape == TextureShape::d3 ? 9 : 1, linear, linear_levels);
        for (float& texel : images.texels) texel = static_cast<float>(random.uniform() * 2 - 1);
        for (int i = 0; i < 2000; ++i) {
          // Levels off the middle between two, where the rounding of eight bits could fall either way.
          const auto level = static_cast<float>(std::floor(random.uniform() * 1100) / 256 - 0.5 + 0.3 / 256);
          const TextureCoordinates at =
              place(static_cast<float>(random.uniform()), static_cast<float>(random.uniform()),
                    static_cast<float>(random.uniform()), level);
          // Weights of two and more axes are rounded to 8 bits each.
          EXPECT_NEAR(fetched(images, at), plain_fetch(images, at), linear ? 0.03 : 1e-6)
              << to_string(shape) << " linear " << linear << linear_levels << " level " << level;
        }
      }
    }
  }
}

TEST(Mipmap, WholeLevelsAreTheirImagesAlone) {
  Images images = made(TextureShape::d2, 8, 8, 1, true, true);
  for (size_t i = 0; i < images.texels.size(); ++i) images.texels[i] = i < 64 ? 1.0f : i < 80 ? 2.0f : i < 84 ? 3 : 4;
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, 0)), 1.0f);
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, 1)), 2.0f);
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, 1.5f)), 2.5f);
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, 2)), 3.0f);
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, 99)), 4.0f);
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, -7)), 1.0f);
  EXPECT_EQ(fetched(images, place(0.3f, 0.7f, 0, NAN)), 1.0f);
}

TEST(Mipmap, BiasAndLimitsChooseTheLevel) {
  Images images = made(TextureShape::d2, 8, 8, 1, false, false);
  for (size_t i = 0; i < images.texels.size(); ++i) images.texels[i] = i < 64 ? 1.0f : i < 80 ? 2.0f : i < 84 ? 3 : 4;
  images.texture.level_bias = 1;
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 0)), 2.0f);
  images.texture.level_bias = 0;
  images.texture.first_level = 2;
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 0)), 3.0f);
  images.texture.first_level = 0;
  images.texture.last_level = 1;
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 3)), 2.0f);
}

TEST(Mipmap, BehindEightBitsALevelIsCutOffTowardsZero) {
  Images images = made(TextureShape::d2, 8, 8, 1, false, true);
  for (size_t i = 0; i < images.texels.size(); ++i) images.texels[i] = i < 64 ? 0.0f : 256.0f;
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 127.0f / 256)), 127.0f);
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 127.9f / 256)), 127.0f);
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 128.0f / 256)), 128.0f);
  images.texture.level_bias = 0.5f;
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, -0.9f / 256)), 128.0f);
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, -1.0f / 256)), 127.0f);
}

TEST(Mipmap, WithoutALevelThereAreLimitsAndNoBias) {
  Images images = made(TextureShape::d2, 8, 8, 1, false, true);
  for (size_t i = 0; i < images.texels.size(); ++i) images.texels[i] = i < 64 ? 0.0f : 256.0f;
  TextureCoordinates none = place(0.5f, 0.5f, 0, 0);
  none.level = std::nullopt;
  images.texture.level_bias = 0.75f;
  EXPECT_EQ(fetched(images, none), 0.0f);
  EXPECT_EQ(fetched(images, place(0.5f, 0.5f, 0, 0)), 192.0f);
  images.texture.first_level = 0.25f;
  EXPECT_EQ(fetched(images, none), 64.0f);
}

TEST(Mipmap, StepsOfTexelsChooseTheLevel) {
  Texture texture;
  texture.shape = TextureShape::d2;
  set_image(texture, 64, 32, 1, 0);
  const TextureCoordinates at = place(0.5f, 0.5f, 0, 0);
  EXPECT_EQ(level_of(texture, at, {1.0f / 64, 0, 0}, {0, 1.0f / 32, 0}), 0.0f);
  EXPECT_EQ(level_of(texture, at, {4.0f / 64, 0, 0}, {0, 1.0f / 32, 0}), 2.0f);
  EXPECT_EQ(level_of(texture, at, {1.0f / 64, 0, 0}, {0, 8.0f / 32, 0}), 3.0f);
  EXPECT_EQ(level_of(texture, at, {0.5f / 64, 0, 0}, {}), -1.0f);
  EXPECT_EQ(level_of(texture, at, {}, {}), 0.0f) << "no step at all";
  texture.shape = TextureShape::d3;
  set_image(texture, 64, 32, 16, 0);
  EXPECT_EQ(level_of(texture, at, {}, {0, 0, 0.5f}), 3.0f);
  texture.shape = TextureShape::cube;
  set_image(texture, 64, 64, 6, 0);
  // A face is two wide: in its middle a step of 1/8 is an eighth of half a face, four texels.
  EXPECT_EQ(level_of(texture, place(1, 0, 0, 0), {0, 0.125f, 0}, {}), 2.0f);
  EXPECT_EQ(level_of(texture, place(0, 0, -2, 0), {0.5f, 0, 0}, {}), 3.0f);
  EXPECT_EQ(level_of(texture, place(0, -1, 0, 0), {0, 0.5f, 0}, {}), 0.0f) << "towards the middle nothing moves";
}

TEST(Mipmap, IntegerCoordinatesCountTheTexelsOfTheirLevel) {
  Images images = made(TextureShape::d2, 8, 8, 1, false, false);
  for (size_t i = 0; i < images.texels.size(); ++i) images.texels[i] = static_cast<float>(i);
  TextureCoordinates at;
  at.whole = true;
  at.texel = {3, 2, 0};
  at.level = 1;
  EXPECT_EQ(fetched(images, at), 64.0f + 2 * 4 + 3);
  at.texel = {4, 2, 0};
  EXPECT_EQ(fetched(images, at), 0.0f) << "outside of a level of 4 by 4";
}

TEST(Srgb, BytesAreReadAsLight) {
  Texture texture;
  texture.format = TexelFormat::u8;
  texture.channels = 4;
  texture.srgb = true;
  set_image(texture, 1, 1, 1, 0);
  const std::array<std::byte, 4> texel = {std::byte{0}, std::byte{188}, std::byte{255}, std::byte{128}};
  TexelPointers pointers{texel.data()};
  const std::array<uint32_t, 4> light = sample(texture, footprint(texture, {}), pointers);
  EXPECT_EQ(std::bit_cast<float>(light[0]), 0.0f);
  EXPECT_NEAR(std::bit_cast<float>(light[1]), 0.5029, 1.0 / 512);
  EXPECT_EQ(std::bit_cast<float>(light[2]), 1.0f);
  EXPECT_NEAR(std::bit_cast<float>(light[3]), 128.0 / 255, 1e-6) << "alpha is no light";
  texture.srgb = false;
  EXPECT_NEAR(std::bit_cast<float>(sample(texture, footprint(texture, {}), pointers)[1]), 188.0 / 255, 1e-6);
}

TEST(Srgb, OfTwoChannelsTheFirstIsLight) {
  Texture texture;
  texture.format = TexelFormat::u8;
  texture.channels = 2;
  texture.srgb = true;
  set_image(texture, 1, 1, 1, 0);
  const std::array<std::byte, 2> texel = {std::byte{35}, std::byte{133}};
  const std::array<uint32_t, 4> light = sample(texture, footprint(texture, {}), TexelPointers{texel.data()});
  EXPECT_EQ(light[0], 0x3c8a0000u);
  EXPECT_EQ(light[1], 0x3f058586u);
}

TEST(Srgb, EveryByteIsAnotherLightOfEightDigits) {
  std::set<float> lights;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const float light = semantics::light_of_srgb(semantics::channel_as_float(TexelFormat::u8, byte));
    EXPECT_EQ(std::bit_cast<uint32_t>(light) & 0xffffu, 0u) << byte;
    EXPECT_TRUE(lights.empty() || light > *lights.rbegin()) << byte;
    lights.insert(light);
  }
}

// --- what the hardware gave

struct TruthImages {
  Texture texture;
  std::vector<std::byte> texels;
};

// Of a line of mipmap_h200.txt, behind its first word.
TruthImages read_images(std::istringstream& line) {
  TruthImages images;
  Texture& texture = images.texture;
  int shape = 0, format = 0;
  int64_t width = 0, height = 0, slices = 0;
  size_t levels = 0;
  std::string hex;
  line >> shape >> width >> height >> slices >> format >> texture.channels >> texture.linear >> texture.linear_levels >>
      texture.level_bias >> texture.first_level >> texture.last_level >> texture.srgb >> levels >> hex;
  texture.shape = static_cast<TextureShape>(shape);
  texture.format = static_cast<TexelFormat>(format);
  texture.normalised = true;
  set_image(texture, width, height, slices, 0);
  Texture level = texture;
  for (size_t i = 0; i < levels; ++i) {
    const auto half = [](int64_t size) { return std::max<int64_t>(1, size / 2); };
    set_image(level, half(level.width), half(level.height),
              level.shape == TextureShape::d3 ? half(level.slices) : level.slices,
              (level.address + image_bytes(level) + 3) / 4 * 4);
    texture.levels.push_back(level);
  }
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    images.texels.push_back(static_cast<std::byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  return images;
}

std::array<uint32_t, 4> fetched_as(const TruthImages& images, const std::string& kind,
                                   const std::array<uint32_t, 4>& bits) {
  const Texture& texture = images.texture;
  const bool layered = texture.shape == TextureShape::layered_d2;
  const auto z = std::bit_cast<float>(bits[2]), w = std::bit_cast<float>(bits[3]);
  TextureCoordinates at;
  at.place = {std::bit_cast<float>(bits[0]), std::bit_cast<float>(bits[1]), z};
  at.layer = static_cast<int32_t>(bits[3]);
  if (kind == "level") at.level = layered ? z : w;
  if (kind == "steps") at.level = level_of(texture, at, {z, 0, 0}, {0, w, 0});
  const Footprint taps = footprint(texture, at);
  TexelPointers pointers{};
  for (size_t i = 0; i < taps.count; ++i) pointers[i] = images.texels.data() + taps.taps[i].offset;
  return sample(texture, taps, pointers);
}

TEST(MipmapTruth, IsWhatAnH200Gave) {
  std::ifstream file(ASSAY_SOURCE_DIR "/tests/vgpu/machine/mipmap_h200.txt");
  ASSERT_TRUE(file.good());
  TruthImages images;
  int fetches = 0;
  for (std::string text; std::getline(file, text);) {
    std::istringstream line(text);
    std::string word;
    line >> word;
    if (word == "#") continue;
    if (word == "texture") {
      images = read_images(line);
      const Texture& last = images.texture.levels.empty() ? images.texture : images.texture.levels.back();
      ASSERT_EQ(images.texels.size(), last.address + image_bytes(last));
      continue;
    }
    std::array<uint32_t, 4> bits{};
    std::array<uint32_t, 2> given{};
    line >> std::hex >> bits[0] >> bits[1] >> bits[2] >> bits[3] >> given[0] >> given[1];
    const std::array<uint32_t, 4> result = fetched_as(images, word, bits);
    EXPECT_EQ(result[0], given[0]) << text;
    EXPECT_EQ(result[1], given[1]) << text;
    ++fetches;
  }
  EXPECT_GE(fetches, 42);
}

}  // namespace
}  // namespace assay::vgpu
