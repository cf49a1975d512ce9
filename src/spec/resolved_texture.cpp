// SPDX-License-Identifier: MIT
#include "spec/resolved_texture.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/text.hpp"
#include "spec/dtype.hpp"
#include "spec/mistake.hpp"

namespace assay::spec {
namespace {

constexpr int64_t kFaces = 6;

// The largest sizes of a GPU of compute capability 8.0 or newer (the CUDA programming guide, technical specifications).
struct Limits {
  std::string_view shape;
  int64_t width;
  int64_t height;
  int64_t slices;
};
constexpr std::array kLimits = {
    Limits{"linear", int64_t{1} << 28, 1, 1}, Limits{"1d", 131072, 1, 1},        Limits{"2d", 131072, 65536, 1},
    Limits{"pitch", 131072, 65000, 1},        Limits{"3d", 16384, 16384, 16384}, Limits{"a1d", 32768, 1, 2048},
    Limits{"a2d", 32768, 32768, 2048},        Limits{"cube", 32768, 32768, 6},   Limits{"acube", 32768, 32768, 2046},
};

class TextureResolver {
 public:
  TextureResolver(const TextureSpec& texture, const std::string& argument, const ResolvedTensor& tensor,
                  const std::string& with)
      : texture_(texture), argument_(argument), tensor_(tensor), with_(with) {}

  Result<ResolvedTexture> resolve() {
    result_.surface = texture_.surface;
    result_.channels = texture_.channels;
    result_.linear = texture_.linear;
    result_.normalised = texture_.normalised;
    result_.fractions = texture_.fractions;
    ASSAY_CHECK(check_type());
    ASSAY_CHECK(take_dims());
    ASSAY_CHECK(check_size());
    result_.address = texture_.address;
    if (result_.address.empty()) result_.address = {"clamp"};
    result_.address.resize(3, result_.address.size() == 1 ? result_.address.front() : "clamp");
    result_.border = texture_.border;
    result_.border.resize(4, result_.border.size() == 1 ? result_.border.front() : 0.0);
    result_.srgb = texture_.srgb;
    if (texture_.mipmap) {
      result_.linear_levels = texture_.mipmap->linear;
      result_.level_bias = texture_.mipmap->bias;
      result_.first_level = texture_.mipmap->first_level;
      result_.last_level = texture_.mipmap->last_level;
    }
    return result_;
  }

 private:
  Error wrong(const std::string& what) const {
    return mistake(texture_.place,
                   fmt::format("{} \"{}\" {}", texture_.surface ? "surface" : "texture", argument_, what));
  }

  Result<void> check_type() const {
    using enum DType;
    const DType type = tensor_.dtype;
    const bool known = type == u8 || type == i8 || type == u16 || type == i16 || type == u32 || type == i32 ||
                       type == f16 || type == f32;
    if (!known || tensor_.is_complex)
      return wrong(fmt::format("is of {}; expected u8, i8, u16, i16, u32, i32, f16 or f32", name(type)));
    const bool narrow = size_bytes(type) < 4 && !is_floating(type);
    if (texture_.fractions && !narrow)
      return wrong(fmt::format("reads {} as fractions; expected integers of 8 or 16 bits", name(type)));
    if (texture_.srgb && type != u8) return wrong(fmt::format("reads {} as sRGB; expected u8", name(type)));
    if (texture_.mipmap && texture_.mipmap->linear && !is_floating(type) && !texture_.fractions)
      return wrong(fmt::format("mixes levels of {}; expected f16, f32, or read = \"fraction\"", name(type)));
    if (texture_.linear && !is_floating(type) && !texture_.fractions)
      return wrong(fmt::format("filters {}; expected f16, f32, or read = \"fraction\"", name(type)));
    int64_t dense = 1;
    for (size_t i = tensor_.dims.size(); i-- > 0; dense *= tensor_.dims[i]) {
      if (tensor_.dims[i] > 1 && tensor_.strides[i] != dense)
        return wrong(fmt::format("is over \"{}\", which has strides; expected a dense tensor", texture_.of));
    }
    return {};
  }

  // The tensor's dimensions, the innermost first, without its channels.
  Result<void> take_dims() {
    std::vector<int64_t> dims(tensor_.dims.rbegin(), tensor_.dims.rend());
    if (texture_.channels > 1) {
      if (dims.front() != texture_.channels)
        return wrong(fmt::format("has {} channels, and the last dimension of \"{}\" is {}{}; expected the same",
                                 texture_.channels, texture_.of, dims.front(), with_));
      dims.erase(dims.begin());
    }
    const size_t rank = dims.size();
    const bool layered = texture_.layered;
    const auto expect = [&](bool good, std::string_view expected) -> Result<void> {
      if (good) return {};
      return wrong(fmt::format("has {} dimensions beside its channels; expected {}", rank, expected));
    };
    if (texture_.memory == "linear") {
      ASSAY_CHECK(expect(rank == 1, "1 in linear memory"));
      result_.shape = "linear";
    } else if (texture_.memory == "pitch") {
      ASSAY_CHECK(expect(rank == 2, "2 in pitched memory"));
      result_.shape = "pitch";
    } else if (texture_.cube) {
      ASSAY_CHECK(expect(rank == 3, "3 of a cube map: faces, rows, columns"));
      result_.shape = layered ? "acube" : "cube";
      const bool faces = layered ? dims[2] % kFaces == 0 : dims[2] == kFaces;
      if (dims[0] != dims[1] || !faces)
        return wrong(fmt::format("is a cube map of {} faces of {} by {}{}; expected {} squares", dims[2], dims[1],
                                 dims[0], with_, layered ? "a multiple of 6" : "6"));
    } else if (layered) {
      ASSAY_CHECK(expect(rank == 2 || rank == 3, "2 or 3 with layers"));
      result_.shape = rank == 2 ? "a1d" : "a2d";
    } else {
      ASSAY_CHECK(expect(rank >= 1 && rank <= 3, "1 to 3"));
      result_.shape = std::array{"1d", "2d", "3d"}[rank - 1];
    }
    result_.width = dims[0];
    if (result_.shape == "a1d") {
      result_.slices = dims[1];
      return {};
    }
    if (rank > 1) result_.height = dims[1];
    if (rank > 2) result_.slices = dims[2];
    return {};
  }

  Result<void> check_size() const {
    constexpr int64_t kPitchAlignment = 32;
    const auto* const limits = std::ranges::find(kLimits, result_.shape, &Limits::shape);
    const bool fits = result_.width >= 1 && result_.width <= limits->width && result_.height >= 1 &&
                      result_.height <= limits->height && result_.slices >= 1 && result_.slices <= limits->slices;
    if (!fits)
      return wrong(fmt::format("is {} by {} by {}{}; expected 1 to {}, 1 to {} and 1 to {}", result_.width,
                               result_.height, result_.slices, with_, limits->width, limits->height, limits->slices));
    const int64_t row = result_.width * result_.channels * size_bytes(tensor_.dtype);
    if (result_.shape == "pitch" && row % kPitchAlignment != 0)
      return wrong(fmt::format("has rows of {} bytes{}; expected a multiple of {} in pitched memory", row, with_,
                               kPitchAlignment));
    return {};
  }

  const TextureSpec& texture_;
  const std::string& argument_;
  const ResolvedTensor& tensor_;
  const std::string& with_;
  ResolvedTexture result_;
};

// The shape of the next level: half as wide and high, and as deep if it is a volume. Channels, layers and faces stay.
std::vector<int64_t> halved(const std::vector<int64_t>& dims, const TextureSpec& texture) {
  std::vector<int64_t> result = dims;
  const size_t first = texture.layered || texture.cube ? 1 : 0;
  const size_t last = result.size() - (texture.channels > 1 ? 1 : 0);
  for (size_t i = first; i < last; ++i) result[i] = std::max<int64_t>(1, result[i] / 2);
  return result;
}

}  // namespace

Result<void> check_level(const TextureSpec& texture, const std::string& argument, size_t level,
                         const ResolvedTensor& before, const ResolvedTensor& tensor, const std::string& with) {
  const std::string& name_of = texture.mipmap->levels[level];
  const auto wrong = [&](const std::string& what) {
    return mistake(texture.mipmap->places[level],
                   fmt::format("level {} of texture \"{}\", \"{}\", {}", level + 1, argument, name_of, what));
  };
  if (tensor.dtype != before.dtype || tensor.is_complex != before.is_complex)
    return wrong(fmt::format("is of {}; expected {}, as the level before it", name(tensor.dtype), name(before.dtype)));
  const std::vector<int64_t> expected = halved(before.dims, texture);
  if (expected == before.dims)
    return wrong(fmt::format("is behind a level of one texel{}; expected fewer levels", with));
  if (tensor.dims != expected)
    return wrong(fmt::format("has the shape [{}]{}; expected [{}], half of the level before it",
                             fmt::join(tensor.dims, ", "), with, fmt::join(expected, ", ")));
  int64_t dense = 1;
  for (size_t i = tensor.dims.size(); i-- > 0; dense *= tensor.dims[i]) {
    if (tensor.dims[i] > 1 && tensor.strides[i] != dense) return wrong("has strides; expected a dense tensor");
  }
  return {};
}

Result<ResolvedTexture> resolve_texture(const TextureSpec& texture, const std::string& argument,
                                        const ResolvedTensor& tensor, const std::string& with) {
  return TextureResolver(texture, argument, tensor, with).resolve();
}

}  // namespace assay::spec
