// SPDX-License-Identifier: MIT
// Memory for the planes of the race check's shadow. They lie side by side in large chunks, which the host backs with
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
  static constexpr size_t kFewest = 64;  // marks of the smallest plane; the others are powers of two of it
  static constexpr size_t kSizes = 5;

  MarkPool() = default;
  MarkPool(const MarkPool&) = delete;
  MarkPool& operator=(const MarkPool&) = delete;
  ~MarkPool() { clear(); }

  AccessMark* take(size_t count);  // with anything in them
  AccessMark* take_zeroed(size_t count);
  void give(AccessMark* marks, size_t count);
  void clear();  // nothing that was taken is valid any more

 private:
  struct Chunk {
    std::byte* at = nullptr;
    size_t bytes = 0;
    bool zeroed = false;  // when it was made
  };
  // Small at first, and from the heap: the shared memory of each block has a shadow of its own.
  static constexpr size_t kFirstChunk = 8 << 10;
  static constexpr size_t kLine = 64;

  std::vector<AccessMark*>& given(size_t count) {
    return given_[static_cast<size_t>(std::countr_zero(count / kFewest))];
  }
  AccessMark* fresh(size_t count);
  void add_chunk();

  std::vector<Chunk> chunks_;
  std::byte* next_ = nullptr;  // what is left of the last chunk
  size_t left_ = 0;
  std::array<std::vector<AccessMark*>, kSizes> given_;  // back, by size
};

}  // namespace assay::vgpu
