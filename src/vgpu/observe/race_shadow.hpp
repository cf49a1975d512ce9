// SPDX-License-Identifier: MIT
// What the race check remembers of memory: of every cell the last write and two reads that nothing orders, four bytes
// each. A page begins with cells as wide as its first access, and takes them apart where an access is narrower. It has
// room for writes, first and second reads as soon as there are any. Pages that nobody looks at are packed: neighbouring
// cells mostly differ by the lane alone. Pages that are looked at here and there stay open: they would be packed and
// opened again for every access.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "vgpu/observe/access_table.hpp"
#include "vgpu/observe/mark_pool.hpp"

namespace assay::vgpu {

class Shadow {
 public:
  static constexpr uint64_t kPageBytes = 1024;
  static constexpr uint8_t kLargestShift = 4;  // a cell holds up to 16 bytes, as long as all accesses are as wide
  static constexpr size_t kPlanes = 3;
  static constexpr std::array<uint8_t, 1 << kPlanes> kCount = {0, 1, 1, 2, 1, 2, 2, 3};  // bits of a number
  enum Plane : uint8_t { write, first_read, second_read };

  // Cells of which each differs from the one before by the same step.
  struct Run {
    AccessMark first = 0;
    uint32_t step = 0;
    uint16_t count = 1;
  };
  // Its users hold it, and see nothing of it. What a cell has of all planes lies side by side: an access to it is one
  // to the processor's cache.
  struct Page {
    AccessMark* marks = nullptr;
    uint32_t uses = 0;    // since it was opened
    uint8_t shift = 0;    // a cell holds 1 << shift bytes
    uint8_t present = 0;  // a bit for each plane: some cell has, or had, an access of this kind
    uint8_t stride = 0;   // planes that are present
    bool packed = false;
    std::unique_ptr<std::vector<Run>> runs;  // of all cells of one plane after another, while the page is packed

    size_t cells() const { return kPageBytes >> shift; }
    bool has(size_t plane) const { return (present >> plane & 1) != 0; }
    size_t slot(size_t plane) const { return kCount[present & ((1u << plane) - 1)]; }
    AccessMark at(size_t plane, size_t cell) const { return has(plane) ? marks[cell * stride + slot(plane)] : 0; }
    size_t bytes() const { return cells() * stride * sizeof(AccessMark); }
  };

  class Cell {
   public:
    Cell(Shadow& shadow, Page& page, size_t index) : shadow_(shadow), page_(page), index_(index) {}
    AccessMark at(Plane plane) const { return page_.at(plane, index_); }
    bool is_empty() const {
      AccessMark any = 0;
      for (size_t i = 0; i < page_.stride; ++i) any |= page_.marks[index_ * page_.stride + i];
      return any == 0;
    }
    void set(Plane plane, AccessMark mark) {
      if (!page_.has(plane)) shadow_.add_plane(page_, plane);
      page_.marks[index_ * page_.stride + page_.slot(plane)] = mark;
    }
    void clear(Plane plane) {
      if (at(plane) != 0) set(plane, 0);
    }

   private:
    Shadow& shadow_;
    Page& page_;
    size_t index_;
  };

  // Pages are packed as soon as the open ones take more than `open_bytes`.
  explicit Shadow(size_t open_bytes = kOpenBytes) : most_open_(open_bytes) {}

  // Calls body(cell, address, bytes) for the cells of the range.
  template <class Body>
  void for_each_cell(uint64_t address, uint64_t bytes, Body&& body) {
    while (bytes > 0) {
      const uint64_t in_page = address % kPageBytes;
      const uint64_t part = bytes < kPageBytes - in_page ? bytes : kPageBytes - in_page;
      Page& page = page_at(address / kPageBytes, in_page | part);
      const uint64_t unit = uint64_t{1} << page.shift;
      for (uint64_t at = in_page; at < in_page + part; at += unit)
        body(Cell(*this, page, at >> page.shift), address - in_page + at, unit);
      address += part;
      bytes -= part;
    }
  }

  // For lanes that access memory far apart, which would wait for each cell in turn: announce() has the processor fetch
  // what for_one_cell() and for_each_cell() are going to ask for. nullptr: nothing is remembered of the page.
  // Always inline: gcc takes a function that only prefetches for one without effect, and drops its calls.
  [[gnu::always_inline]] Page* announce(uint64_t address) const {
    const uint64_t index = address / kPageBytes;
    Page* const page = index < pages_.size() ? pages_[index].get() : nullptr;
    if (page == nullptr) return nullptr;
    const AccessMark* const cell = page->marks + (address % kPageBytes >> page->shift) * page->stride;
    __builtin_prefetch(cell, 1);
    __builtin_prefetch(cell + kPlanes - 1, 1);  // mostly the same line
    return page;
  }
  // Whether an access of an announced page is one to a whole cell, which cell_of() gives.
  bool is_one_cell(const Page* page, uint64_t address, uint64_t bytes) const {
    return page != nullptr && bytes == uint64_t{1} << page->shift && (address & (bytes - 1)) == 0 && !page->packed &&
           !is_full();
  }
  Cell cell_of(Page& page, uint64_t address) {
    ++page.uses;
    return {*this, page, address % kPageBytes >> page.shift};
  }

  // Copies that were under way are writes of `who` at that time now; what has been overwritten since stays.
  enum class Copies : uint8_t { all, of_thread };
  void complete_copies(uint64_t address, uint64_t bytes, uint32_t who, uint32_t stamp, Copies which);

  AccessTable& accesses() { return accesses_; }
  const AccessTable& accesses() const { return accesses_; }
  // Forgets accesses that no cell names, when they have become many. Marks that are held elsewhere are void afterwards.
  void tidy() {
    if (accesses_.size() >= most_accesses_) collect();
  }
  void clear();
  size_t bytes() const { return open_ + packed_ + accesses_.bytes(); }

 private:
  static constexpr size_t kOpenBytes = 64 << 20;
  static constexpr size_t kFewAccesses = 1 << 14;

  // So that a cell is no larger than what these bits are a multiple of.
  static uint8_t shift_for(uint64_t bits) {
    const auto zeros = static_cast<uint8_t>(std::countr_zero(bits));
    return zeros < kLargestShift ? zeros : kLargestShift;
  }
  Page& page_at(uint64_t index, uint64_t bits) {
    if (last_ == nullptr || index != last_index_) {
      Page* const page = index < pages_.size() ? pages_[index].get() : nullptr;
      if (page != nullptr && !page->packed && !is_full()) {
        last_ = page;
        last_index_ = index;
      } else {
        open(index, bits);
      }
    }
    if ((bits & ((uint64_t{1} << last_->shift) - 1)) != 0) lay_out(*last_, shift_for(bits), last_->present);
    ++last_->uses;
    return *last_;
  }
  bool is_full() const { return open_ > most_open_ + unpackable_; }
  void open(uint64_t index, uint64_t bits);
  // Cells of that size with room for these planes, and with the marks that they have now.
  void lay_out(Page& page, uint8_t shift, uint32_t present);
  void add_plane(Page& page, size_t plane) { lay_out(page, page.shift, page.present | 1u << plane); }
  void refine(Page& page, uint32_t shift);
  void pack_others();
  void drop_empty_planes(Page& page);
  void pack(Page& page, std::vector<Run> runs);
  void unpack(Page& page);
  void collect();
  static std::vector<Run> runs_of(const Page& page);

  MarkPool pool_;
  std::vector<std::unique_ptr<Page>> pages_;
  AccessTable accesses_;
  Page* last_ = nullptr;  // that was asked for
  uint64_t last_index_ = 0;
  size_t most_open_;
  size_t most_accesses_ = kFewAccesses;
  size_t open_ = 0;    // bytes of planes
  size_t packed_ = 0;  // bytes of runs
  size_t unpackable_ = 0;
};

}  // namespace assay::vgpu
