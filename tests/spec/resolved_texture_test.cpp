// SPDX-License-Identifier: MIT
#include "spec/resolved_texture.hpp"

#include <gtest/gtest.h>

namespace assay::spec {
namespace {

ResolvedTensor tensor(DType dtype, const std::vector<int64_t>& dims) {
  ResolvedTensor made;
  made.dtype = dtype;
  made.dims = dims;
  made.strides.resize(dims.size());
  made.elements = 1;
  for (size_t i = dims.size(); i-- > 0; made.elements *= dims[i]) made.strides[i] = made.elements;
  return made;
}

TextureSpec texture() {
  TextureSpec made;
  made.of = "image";
  made.place = {"kernel.toml", 7, 3};
  return made;
}

std::string mistake_of(const TextureSpec& spec, const ResolvedTensor& of) {
  const auto resolved = resolve_texture(spec, "t", of, " with N=4");
  EXPECT_FALSE(resolved.ok());
  if (resolved.ok()) return "";
  EXPECT_EQ(resolved.error().place.line, 7);
  return resolved.error().message;
}

TEST(ResolvedTexture, TakesItsShapeFromTheTensor) {
  TextureSpec spec = texture();
  EXPECT_EQ(resolve_texture(spec, "t", tensor(DType::f32, {9}), "")->shape, "1d");
  const auto matrix = resolve_texture(spec, "t", tensor(DType::f32, {5, 9}), "");
  EXPECT_EQ(matrix->shape, "2d");
  EXPECT_EQ(matrix->width, 9);
  EXPECT_EQ(matrix->height, 5);
  EXPECT_EQ(matrix->address, (std::vector<std::string>{"clamp", "clamp", "clamp"}));
  EXPECT_EQ(resolve_texture(spec, "t", tensor(DType::f32, {3, 5, 9}), "")->slices, 3);
  spec.layered = true;
  const auto layers = resolve_texture(spec, "t", tensor(DType::f32, {5, 9}), "");
  EXPECT_EQ(layers->shape, "a1d");
  EXPECT_EQ(layers->height, 1);
  EXPECT_EQ(layers->slices, 5);
  spec.cube = true;
  EXPECT_EQ(resolve_texture(spec, "t", tensor(DType::f32, {12, 4, 4}), "")->shape, "acube");
  spec = texture();
  spec.channels = 4;
  EXPECT_EQ(resolve_texture(spec, "t", tensor(DType::u8, {5, 9, 4}), "")->shape, "2d");
  spec.memory = "linear";
  EXPECT_EQ(resolve_texture(spec, "t", tensor(DType::u8, {9, 4}), "")->shape, "linear");
}

TEST(ResolvedTexture, SaysWhatDoesNotFit) {
  TextureSpec spec = texture();
  EXPECT_NE(mistake_of(spec, tensor(DType::f64, {9})).find("is of f64; expected u8"), std::string::npos);
  EXPECT_NE(mistake_of(spec, tensor(DType::f32, {2, 2, 2, 2})).find("has 4 dimensions"), std::string::npos);
  EXPECT_NE(mistake_of(spec, tensor(DType::f32, {0, 4})).find("is 4 by 0 by 1 with N=4; expected 1 to"),
            std::string::npos);
  EXPECT_NE(mistake_of(spec, tensor(DType::f32, {200000})).find("expected 1 to 131072"), std::string::npos);
  ResolvedTensor strided = tensor(DType::f32, {4, 4});
  strided.strides[0] = 8;
  EXPECT_NE(mistake_of(spec, strided).find("has strides; expected a dense tensor"), std::string::npos);
  spec.linear = true;
  EXPECT_NE(mistake_of(spec, tensor(DType::i32, {9})).find("filters i32; expected f16, f32"), std::string::npos);
  spec = texture();
  spec.channels = 2;
  EXPECT_NE(mistake_of(spec, tensor(DType::f32, {4, 3})).find("has 2 channels, and the last dimension"),
            std::string::npos);
  spec = texture();
  spec.memory = "pitch";
  EXPECT_NE(mistake_of(spec, tensor(DType::f32, {4, 9})).find("rows of 36 bytes"), std::string::npos);
  spec = texture();
  spec.cube = true;
  EXPECT_NE(mistake_of(spec, tensor(DType::f32, {6, 4, 5})).find("expected 6 squares"), std::string::npos);
}

// Level 1 and on of a texture over a tensor of 5 by 9.
TextureSpec mipmap_texture() {
  TextureSpec spec = texture();
  spec.normalised = true;
  spec.mipmap = MipmapSpec{};
  spec.mipmap->levels = {"half", "quarter"};
  spec.mipmap->places = {{"kernel.toml", 8, 1}, {"kernel.toml", 8, 9}};
  return spec;
}

std::string level_mistake(const TextureSpec& spec, const ResolvedTensor& before, const ResolvedTensor& level) {
  const auto checked = check_level(spec, "t", 0, before, level, " with N=4");
  return checked.ok() ? "" : checked.error().message;
}

TEST(ResolvedTexture, LevelsAreHalfAsLarge) {
  TextureSpec spec = mipmap_texture();
  const ResolvedTensor whole = tensor(DType::f32, {5, 9});
  EXPECT_EQ(level_mistake(spec, whole, tensor(DType::f32, {2, 4})), "");
  EXPECT_EQ(level_mistake(spec, whole, tensor(DType::f32, {3, 5})),
            "level 1 of texture \"t\", \"half\", has the shape [3, 5] with N=4; expected [2, 4], half of the level "
            "before it");
  EXPECT_EQ(level_mistake(spec, whole, tensor(DType::f16, {2, 4})),
            "level 1 of texture \"t\", \"half\", is of f16; expected f32, as the level before it");
  EXPECT_EQ(level_mistake(spec, tensor(DType::f32, {1, 1}), tensor(DType::f32, {1, 1})),
            "level 1 of texture \"t\", \"half\", is behind a level of one texel with N=4; expected fewer levels");
  EXPECT_EQ(level_mistake(spec, tensor(DType::f32, {1, 9}), tensor(DType::f32, {1, 4})), "");
  spec.channels = 2;
  EXPECT_EQ(level_mistake(spec, tensor(DType::f32, {4, 8, 2}), tensor(DType::f32, {2, 4, 2})), "");
  spec.layered = true;
  EXPECT_EQ(level_mistake(spec, tensor(DType::f32, {3, 4, 8, 2}), tensor(DType::f32, {3, 2, 4, 2})), "");
}

TEST(ResolvedTexture, MixesOnlyWhatCanBeFiltered) {
  TextureSpec spec = mipmap_texture();
  spec.mipmap->linear = true;
  EXPECT_TRUE(resolve_texture(spec, "t", tensor(DType::f32, {8, 8}), "")->linear_levels);
  EXPECT_EQ(mistake_of(spec, tensor(DType::u8, {8, 8})),
            "texture \"t\" mixes levels of u8; expected f16, f32, or read = \"fraction\"");
  spec = texture();
  spec.fractions = spec.srgb = true;
  EXPECT_TRUE(resolve_texture(spec, "t", tensor(DType::u8, {8, 8}), "")->srgb);
  EXPECT_EQ(mistake_of(spec, tensor(DType::u16, {8, 8})), "texture \"t\" reads u16 as sRGB; expected u8");
}

}  // namespace
}  // namespace assay::spec
