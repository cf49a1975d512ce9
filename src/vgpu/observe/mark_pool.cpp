// SPDX-License-Identifier: MIT
#include "vgpu/observe/mark_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace assay::vgpu {
namespace {

constexpr size_t kHugePage = 2 << 20;

// Of a range that begins at the boundary of a huge page, the host gives the whole page at once.
void* map_huge_page() {
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const found = mmap(nullptr, 2 * kHugePage, PROT_READ | PROT_WRITE, kFlags, -1, 0);
  if (found == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(found);
  const size_t before = (kHugePage - reinterpret_cast<uintptr_t>(first) % kHugePage) % kHugePage;
  if (before > 0) munmap(first, before);
  munmap(first + before + kHugePage, kHugePage - before);
  madvise(first + before, kHugePage, MADV_HUGEPAGE);  // where the host has none, small pages do
  return first + before;
}

// Some are kept from launch to launch: the host takes as long to clear one as a kernel takes for much of its work.
class SpareHugePages {
 public:
  ~SpareHugePages() {
    for (void* const page : pages_) munmap(page, kHugePage);
  }
  void* take() {
    const std::lock_guard lock(mutex_);
    if (pages_.empty()) return nullptr;
    void* const page = pages_.back();
    pages_.pop_back();
    return page;
  }
  void give(void* page) {
    const std::lock_guard lock(mutex_);
    if (pages_.size() < kMost) {
      pages_.push_back(page);
    } else {
      munmap(page, kHugePage);
    }
  }

 private:
  static constexpr size_t kMost = 32;
  std::mutex mutex_;
  std::vector<void*> pages_;
};

SpareHugePages& spare_huge_pages() {
  static SpareHugePages pages;
  return pages;
}

}  // namespace

void MarkPool::clear() {
  for (const Chunk& chunk : chunks_) {
    if (chunk.bytes == kHugePage) {
      spare_huge_pages().give(chunk.at);
    } else {
      std::free(chunk.at);
    }
  }
  chunks_.clear();
  next_ = nullptr;
  left_ = 0;
  for (auto& marks : given_) marks.clear();
}

AccessMark* MarkPool::take(size_t count) {
  auto& again = given(count);
  if (again.empty()) return fresh(count);
  AccessMark* const marks = again.back();
  again.pop_back();
  return marks;
}

AccessMark* MarkPool::take_zeroed(size_t count) {
  const bool used = !given(count).empty();
  AccessMark* const marks = take(count);
  if (used || !chunks_.back().zeroed) std::memset(marks, 0, count * sizeof(AccessMark));
  return marks;
}

AccessMark* MarkPool::fresh(size_t count) {
  const size_t bytes = count * sizeof(AccessMark);
  if (left_ < bytes) add_chunk(bytes);
  std::byte* const marks = next_;
  next_ += bytes;
  left_ -= bytes;
  return reinterpret_cast<AccessMark*>(marks);
}

void MarkPool::give(AccessMark* marks, size_t count) {
  given(count).push_back(marks);
}

// Chunks double up to a huge page.
void MarkPool::add_chunk(size_t least) {
  Chunk made;
  made.bytes = chunks_.empty() ? kFirstChunk : std::min(2 * chunks_.back().bytes, kHugePage);
  while (made.bytes < least) made.bytes *= 2;
  const bool huge = made.bytes == kHugePage;
  void* found = huge ? spare_huge_pages().take() : std::aligned_alloc(kLine, made.bytes);
  if (huge && found == nullptr) {
    found = map_huge_page();
    made.zeroed = true;
  }
  if (found == nullptr) throw std::bad_alloc();
  made.at = static_cast<std::byte*>(found);
  chunks_.push_back(made);
  next_ = made.at;
  left_ = made.bytes;
}

}  // namespace assay::vgpu
