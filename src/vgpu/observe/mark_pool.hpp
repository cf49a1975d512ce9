// SPDX-License-Identifier: MIT
// Memory for the pages of the race check's shadow. They lie side by side in large chunks, which the host backs with
// huge pages: where lanes access memory in no order, most of the time would go into page faults and page walks.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <vector>

#include "vgpu/observe/access_table.hpp"

namespace assay::vgpu {

class MarkPool {
 public:
  static constexpr size_t kFewest = 64;  // cells of the smallest page; the others are powers of two of it
  static constexpr size_t kSizes = 5, kMostStride = 3;

  MarkPool() = default;
  MarkPool(const MarkPool&) = delete;
  MarkPool& operator=(const MarkPool&) = delete;
  ~MarkPool() { clear(); }

  // So many cells of `stride` marks each, with anything in them; nullptr for none.
  AccessMark* take(size_t cells, size_t stride);
  void give(AccessMark* marks, size_t cells, size_t stride);
  void clear();  // nothing that was taken is valid any more

 private:
  struct Chunk {
    std::byte* at = nullptr;
    size_t bytes = 0;
  };
  // Small at first: the shared memory of a block has a shadow of its own.
  static constexpr size_t kFirstChunk = 16 << 10;
  static constexpr size_t kHugePage = 2 << 20;

  std::vector<AccessMark*>& given(size_t cells, size_t stride) {
    return given_[static_cast<size_t>(std::countr_zero(cells / kFewest)) * kMostStride + stride - 1];
  }
  void add_chunk();

  std::vector<Chunk> chunks_;
  std::byte* next_ = nullptr;  // what is left of the last chunk
  size_t left_ = 0;
  std::array<std::vector<AccessMark*>, kSizes * kMostStride> given_;  // back, by size and stride
};

}  // namespace assay::vgpu
