// SPDX-License-Identifier: MIT
#include "vgpu/observe/mark_pool.hpp"

#include <algorithm>
#include <new>
#include <sys/mman.h>

namespace assay::vgpu {

void MarkPool::clear() {
  for (const Chunk& chunk : chunks_) munmap(chunk.at, chunk.bytes);
  chunks_.clear();
  next_ = nullptr;
  left_ = 0;
  for (auto& marks : given_) marks.clear();
}

AccessMark* MarkPool::take(size_t cells, size_t stride) {
  if (stride == 0) return nullptr;
  auto& again = given(cells, stride);
  if (!again.empty()) {
    AccessMark* const marks = again.back();
    again.pop_back();
    return marks;
  }
  const size_t bytes = cells * stride * sizeof(AccessMark);
  if (left_ < bytes) add_chunk();
  std::byte* const marks = next_;
  next_ += bytes;
  left_ -= bytes;
  return reinterpret_cast<AccessMark*>(marks);
}

void MarkPool::give(AccessMark* marks, size_t cells, size_t stride) {
  if (marks != nullptr) given(cells, stride).push_back(marks);
}

// Chunks double up to a huge page. Of one that begins at its boundary, the host gives the whole page at once.
void MarkPool::add_chunk() {
  const size_t bytes = chunks_.empty() ? kFirstChunk : std::min(2 * chunks_.back().bytes, kHugePage);
  const bool huge = bytes == kHugePage;
  const size_t reserved = huge ? 2 * bytes : bytes;
  void* const found =
      mmap(nullptr, reserved, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  auto* at = static_cast<std::byte*>(found);
  if (huge) {
    const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(at) % kHugePage) % kHugePage;
    if (before > 0) munmap(at, before);
    if (before < bytes) munmap(at + before + bytes, bytes - before);
    at += before;
    madvise(at, bytes, MADV_HUGEPAGE);  // where the host has none, small pages do
  }
  chunks_.push_back({at, bytes});
  next_ = at;
  left_ = bytes;
}

}  // namespace assay::vgpu
