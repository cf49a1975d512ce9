// SPDX-License-Identifier: MIT
// A tensor map, as the virtual GPU's copies read it. NVIDIA's layout of the 128 bytes is secret, so this one is ours:
// maps are made by the device that reads them.
//
// A tiled map's copies move a box; those of an im2col map move pixels, each with some of its channels. Both are a
// *tile* of rows: a row has the elements of the contiguous dimension.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vgpu/machine/bulk_reduction.hpp"
#include "vgpu/semantics/im2col.hpp"

namespace assay::vgpu {

struct TensorMap {
  static constexpr size_t kBytes = 128;
  static constexpr size_t kMostDimensions = 5;
  static constexpr uint64_t kMagic = 0x4153534159'544d01;  // "ASSAYTM", version 1

  // Of each dimension, the contiguous one first.
  std::array<uint64_t, kMostDimensions> strides{};  // bytes
  std::array<uint32_t, kMostDimensions> sizes{};    // elements; of 2^32 the last one cannot be reached
  std::array<uint16_t, kMostDimensions> box{};      // elements that one copy spans; im2col: channels, then all 1
  std::array<uint8_t, kMostDimensions> steps{};     // of the span every how-manyth element is copied; 1 for the first
  // Of an im2col map: the corners of the box in which pixels begin, in W, H and D.
  std::array<int16_t, semantics::PixelBox::kMostDimensions> lower{};  // from the tensor's first pixel
  std::array<int16_t, semantics::PixelBox::kMostDimensions> upper{};  // from its last one
  uint16_t pixels = 0;                                                // that one copy moves; 0: the map is tiled
  uint8_t rank = 0;
  uint8_t element_bytes = 0;
  uint8_t swizzle_bits = 0;              // 0: none; 1, 2, 3: 32, 64, 128 bytes
  uint8_t fill = 0;                      // byte of what lies outside
  ReducedType type = ReducedType::none;  // of elements that copies can be added to
  uint64_t magic = kMagic;
  uint64_t address = 0;

  void pack(std::span<std::byte, kBytes> bytes) const;
  static std::optional<TensorMap> unpack(std::span<const std::byte, kBytes> bytes);  // nothing: these bytes are no map

  // Elements of a dimension that one copy moves.
  uint32_t count(size_t dimension) const { return (box[dimension] + steps[dimension] - 1u) / steps[dimension]; }
  bool is_im2col() const { return pixels != 0; }
  uint64_t tile_bytes() const;
};

// A run of bytes that lies together on both sides.
struct TilePart {
  uint32_t tile_offset = 0;  // in the tile, before the swizzle
  uint32_t bytes = 0;        // up to 16, within one chunk of 16
  uint64_t address = 0;      // 0: outside the tensor
};

// Where a tile begins.
struct TileOrigin {
  std::array<int32_t, TensorMap::kMostDimensions> at{};                  // of each dimension
  std::array<uint16_t, semantics::PixelBox::kMostDimensions> offsets{};  // im2col: that W, H and D of all pixels have
};

// The parts of the tile in its order. It must be one that shared memory could hold.
std::vector<TilePart> tile_parts(const TensorMap& map, const TileOrigin& origin);

}  // namespace assay::vgpu
