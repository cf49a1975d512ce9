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
  return good && map.count(0) * map.element_bytes % kChunk == 0 ? std::optional(map) : std::nullopt;
}

uint64_t TensorMap::tile_bytes() const {
  uint64_t bytes = element_bytes;
  for (size_t d = 0; d < rank; ++d) bytes *= count(d);
  return bytes;
}

std::vector<TilePart> tile_parts(const TensorMap& map, const std::array<int32_t, TensorMap::kMostDimensions>& origin) {
  const uint32_t row_bytes = map.count(0) * map.element_bytes;
  const auto rows = static_cast<uint32_t>(map.tile_bytes() / row_bytes);
  const auto per_chunk = int64_t{kChunk / map.element_bytes};
  std::vector<TilePart> parts;
  parts.reserve(map.tile_bytes() / kChunk);
  for (uint32_t row = 0; row < rows; ++row) {
    bool inside = true;
    uint64_t row_address = map.address;
    uint32_t rest = row;
    for (size_t d = 1; d < map.rank; ++d) {
      const int64_t at = int64_t{origin[d]} + int64_t{rest % map.count(d)} * map.steps[d];
      rest /= map.count(d);
      inside = inside && at >= 0 && at < int64_t{map.sizes[d]};
      row_address += static_cast<uint64_t>(at) * map.strides[d];
    }
    // What of each chunk lies before the tensor's first, and behind its last column.
    const auto columns = int64_t{map.count(0)};
    for (int64_t first = 0; first < columns; first += per_chunk) {
      const int64_t end = first + per_chunk;
      const int64_t begins = inside ? std::clamp<int64_t>(-int64_t{origin[0]}, first, end) : end;
      const int64_t ends = std::clamp<int64_t>(int64_t{map.sizes[0]} - origin[0], begins, end);
      const auto add = [&](int64_t from, int64_t to, bool there) {
        if (from == to) return;
        const auto bytes = static_cast<uint32_t>(to - from) * map.element_bytes;
        const uint64_t address = row_address + static_cast<uint64_t>((origin[0] + from) * map.element_bytes);
        parts.push_back(
            {row * row_bytes + static_cast<uint32_t>(from) * map.element_bytes, bytes, there ? address : 0});
      };
      add(first, begins, false);
      add(begins, ends, true);
      add(ends, end, false);
    }
  }
  return parts;
}

}  // namespace assay::vgpu
