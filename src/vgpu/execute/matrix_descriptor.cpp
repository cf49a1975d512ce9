// SPDX-License-Identifier: MIT
#include "vgpu/execute/matrix_descriptor.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "vgpu/execute/memory_access.hpp"
#include "vgpu/machine/block.hpp"
#include "vgpu/machine/swizzle.hpp"

namespace assay::vgpu {
namespace {

constexpr size_t kAtomLines = 8;

// Addresses and offsets are stored in units of 16 bytes.
uint32_t bytes_at(uint64_t descriptor, int bit) {
  return static_cast<uint32_t>(descriptor >> bit & 0x3fff) * static_cast<uint32_t>(kChunkBytes);
}

}  // namespace

uint64_t ChunkLayout::address(size_t line, size_t chunk) const {
  const uint64_t width_mask = (uint64_t{1} << width_bits) - 1;
  const uint64_t plain = start + (line % kAtomLines * kChunkBytes << width_bits) + line / kAtomLines * next_lines +
                         (chunk & width_mask) * kChunkBytes + (chunk >> width_bits) * next_chunks;
  return swizzle(plain, width_bits);
}

ChunkLayout chunk_layout(uint64_t descriptor, bool across) {
  constexpr std::array<uint32_t, 4> kWidthBits = {0, 3, 2, 1};  // by swizzle mode
  ChunkLayout layout;
  layout.start = bytes_at(descriptor, 0);
  layout.width_bits = kWidthBits[descriptor >> 62];
  layout.next_chunks = bytes_at(descriptor, 16);  // "leading dimension byte offset"
  layout.next_lines = bytes_at(descriptor, 32);   // "stride dimension byte offset"
  // The two change places in this one layout (CUTLASS, make_gmma_desc<Major::MN>).
  if (across && layout.width_bits == 0) std::swap(layout.next_chunks, layout.next_lines);
  return layout;
}

uint32_t base_offset(uint64_t descriptor) {
  const bool swizzled = descriptor >> 62 != 0;
  return swizzled ? static_cast<uint32_t>(descriptor >> 49 & 7) : 0;
}

bool read_chunks(Warp& warp, const Instruction& instruction, const ChunkLayout& layout, const ChunkRange& range,
                 std::byte* to) {
  const LaneMask all = warp.mask;
  const size_t total = range.lines * range.chunks;
  size_t line = range.first_line;
  size_t chunk = range.first_chunk;
  // The instruction is one of all lanes: which of them stands for a chunk does not matter.
  for (size_t first = 0; first < total; first += kLanes) {
    const size_t count = std::min<size_t>(kLanes, total - first);
    std::array<uint64_t, kLanes> addresses{};
    for (size_t i = 0; i < count; ++i) {
      addresses[i] = layout.address(line, chunk);
      if (++chunk == range.first_chunk + range.chunks) {
        chunk = range.first_chunk;
        ++line;
      }
    }
    warp.mask = kAllLanes >> (kLanes - count);
    const LanePointers from = resolve(warp, instruction, Space::shared, AccessKind::load, kChunkBytes, addresses);
    warp.mask = all;
    if (warp.block().stopped()) return false;
    std::byte* const chunks = to + first * kChunkBytes;
    for (size_t i = 0; i < count; ++i) {
      if ((from.lanes >> i & 1) != 0) {
        std::memcpy(chunks + i * kChunkBytes, from.at[i], kChunkBytes);
      } else {
        std::memset(chunks + i * kChunkBytes, 0, kChunkBytes);
      }
    }
  }
  return true;
}

}  // namespace assay::vgpu
