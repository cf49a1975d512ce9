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
  // Marks of the smallest plane. The others have a power of two of it, or as many marks for two or three planes.
  static constexpr size_t kFewest = 64;
  static constexpr size_t kSizes = 12;

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
    const size_t times = count / kFewest;
    const auto power = static_cast<size_t>(std::countr_zero(times));
    return given_[2 * power + (times >> power == 3 ? 1 : 0)];
  }
  AccessMark* fresh(size_t count);
  void add_chunk(size_t least);

  std::vector<Chunk> chunks_;
  std::byte* next_ = nullptr;  // what is left of the last chunk
  size_t left_ = 0;
  std::array<std::vector<AccessMark*>, kSizes> given_;  // back, by size
};

}  // namespace assay::vgpu
