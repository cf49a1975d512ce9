// SPDX-License-Identifier: MIT
#include "vgpu/machine/tensor_map.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace assay::vgpu {
namespace {

static_assert(std::is_trivially_copyable_v<TensorMap> && sizeof(TensorMap) <= TensorMap::kBytes);

constexpr uint32_t kChunk = 16;
constexpr uint16_t kMostPixels = 1024;
constexpr size_t kFirstSpatial = 1;  // of an im2col map: behind the channels, before the images

// A row of the tile: the address of what would be its element 0 of the contiguous dimension.
struct TileRow {
  bool inside = true;
  uint64_t address = 0;

  void move(const TensorMap& map, size_t dimension, int64_t at) {
    inside = inside && at >= 0 && at < int64_t{map.sizes[dimension]};
    address += static_cast<uint64_t>(at) * map.strides[dimension];
  }
};

TileRow row_of_box(const TensorMap& map, const TileOrigin& origin, uint32_t number) {
  TileRow row{true, map.address};
  for (size_t d = 1; d < map.rank; ++d) {
    row.move(map, d, int64_t{origin.at[d]} + int64_t{number % map.count(d)} * map.steps[d]);
    number /= map.count(d);
  }
  return row;
}

semantics::PixelBox pixel_box(const TensorMap& map) {
  semantics::PixelBox box;
  box.dimensions = map.rank - 2u;
  for (size_t d = 0; d < box.dimensions; ++d) {
    box.first[d] = map.lower[d];
    box.last[d] = int64_t{map.sizes[kFirstSpatial + d]} - 1 + map.upper[d];
    box.step[d] = map.steps[kFirstSpatial + d];
  }
  return box;
}

semantics::Pixel first_pixel(const TensorMap& map, const TileOrigin& origin) {
  semantics::Pixel pixel;
  for (size_t d = 0; d + 2 < map.rank; ++d) pixel.at[d] = origin.at[kFirstSpatial + d];
  pixel.image = origin.at[map.rank - 1u];
  return pixel;
}

TileRow row_of_pixel(const TensorMap& map, const TileOrigin& origin, const semantics::Pixel& pixel) {
  TileRow row{true, map.address};
  for (size_t d = 0; d + 2 < map.rank; ++d) row.move(map, kFirstSpatial + d, pixel.at[d] + origin.offsets[d]);
  row.move(map, map.rank - 1u, pixel.image);
  return row;
}

// The chunks of a row, each cut where the tensor's first and last column are.
void add_parts(const TensorMap& map, int64_t first_column, const TileRow& row, uint32_t tile_offset,
               std::vector<TilePart>& parts) {
  const auto per_chunk = int64_t{kChunk / map.element_bytes};
  const auto columns = int64_t{map.count(0)};
  for (int64_t first = 0; first < columns; first += per_chunk) {
    const int64_t end = first + per_chunk;
    const int64_t begins = row.inside ? std::clamp<int64_t>(-first_column, first, end) : end;
    const int64_t ends = std::clamp<int64_t>(int64_t{map.sizes[0]} - first_column, begins, end);
    const auto add = [&](int64_t from, int64_t to, bool there) {
      if (from == to) return;
      const auto bytes = static_cast<uint32_t>(to - from) * map.element_bytes;
      const uint64_t address = row.address + static_cast<uint64_t>((first_column + from) * map.element_bytes);
      parts.push_back({tile_offset + static_cast<uint32_t>(from) * map.element_bytes, bytes, there ? address : 0});
    };
    add(first, begins, false);
    add(begins, ends, true);
    add(ends, end, false);
  }
}

}  // namespace

void TensorMap::pack(std::span<std::byte, kBytes> bytes) const {
  std::fill(bytes.begin(), bytes.end(), std::byte{0});
  std::memcpy(bytes.data(), this, sizeof *this);
}

std::optional<TensorMap> TensorMap::unpack(std::span<const std::byte, kBytes> bytes) {
  TensorMap map;
  std::memcpy(&map, bytes.data(), sizeof map);
  // A kernel can write these bytes itself, so nothing is taken for granted.
  bool good = map.magic == kMagic && map.rank >= 1 && map.rank <= kMostDimensions &&
              std::has_single_bit(map.element_bytes) && map.element_bytes <= 8 && map.swizzle_bits <= 3 &&
              map.steps[0] == 1;
  for (size_t d = 0; good && d < map.rank; ++d) good = map.box[d] >= 1 && map.box[d] <= 256 && map.steps[d] >= 1;
  if (map.is_im2col()) good = good && map.rank >= 3 && map.pixels <= kMostPixels;
  return good && map.count(0) * map.element_bytes % kChunk == 0 ? std::optional(map) : std::nullopt;
}

uint64_t TensorMap::tile_bytes() const {
  uint64_t bytes = uint64_t{element_bytes} * count(0);
  if (is_im2col()) return bytes * pixels;
  for (size_t d = 1; d < rank; ++d) bytes *= count(d);
  return bytes;
}

std::vector<TilePart> tile_parts(const TensorMap& map, const TileOrigin& origin) {
  const uint32_t row_bytes = map.count(0) * map.element_bytes;
  const auto rows = static_cast<uint32_t>(map.tile_bytes() / row_bytes);
  std::vector<TilePart> parts;
  parts.reserve(map.tile_bytes() / kChunk);
  if (map.is_im2col()) {
    const semantics::PixelBox box = pixel_box(map);
    semantics::Pixel pixel = first_pixel(map, origin);
    for (uint32_t row = 0; row < rows; ++row, pixel = next_pixel(box, pixel))
      add_parts(map, origin.at[0], row_of_pixel(map, origin, pixel), row * row_bytes, parts);
  } else {
    for (uint32_t row = 0; row < rows; ++row)
      add_parts(map, origin.at[0], row_of_box(map, origin, row), row * row_bytes, parts);
  }
  return parts;
}

}  // namespace assay::vgpu
