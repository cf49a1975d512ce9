// SPDX-License-Identifier: MIT
// Where a matrix in shared memory lies, as a 64-bit descriptor of wgmma says (PTX ISA, "Matrix Descriptor Format").
//
// The hardware knows only chunks of 16 bytes. A *line* of chunks runs along the contiguous dimension: k where the
// matrix is K-major, m or n where it is not (imm-trans). Eight lines of `width` chunks are stored one after the other,
// 16 * width bytes each: this is the atom that a swizzle mode is named after (width 1, 2, 4, 8 for none, 32, 64 and 128
// bytes). Chunk p of line l is at
//   start + (l % 8) * 16 width + (l / 8) * next_lines + (p % width) * 16 + (p / width) * next_chunks
// and swizzling exchanges the chunks of a line: bits 4.. of the address are xored with bits 7.., as many as the width
// has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {

inline constexpr size_t kChunkBytes = 16;

struct ChunkLayout {
  uint32_t start = 0;
  uint32_t width_bits = 0;   // log2 of the chunks of a line in one atom
  uint32_t next_lines = 0;   // bytes from an atom to that of the next eight lines
  uint32_t next_chunks = 0;  // bytes from an atom to that of the next `width` chunks

  uint64_t address(size_t line, size_t chunk) const;
};

// `across`: m or n is contiguous instead of k.
ChunkLayout chunk_layout(uint64_t descriptor, bool across);

// Not zero where the pattern of a swizzled matrix does not begin at a multiple of its size.
uint32_t base_offset(uint64_t descriptor);

struct ChunkRange {
  size_t first_line, lines;
  size_t first_chunk, chunks;  // of each line
};

// Copies the chunks, line after line. False: the launch was stopped by a bad address. What an observer refuses is zero.
bool read_chunks(Warp& warp, const Instruction& instruction, const ChunkLayout& layout, const ChunkRange& range,
                 std::byte* to);

}  // namespace assay::vgpu
