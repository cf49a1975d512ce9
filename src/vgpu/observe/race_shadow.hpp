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
#include <vector>

#include "vgpu/observe/access_table.hpp"
#include "vgpu/observe/mark_pool.hpp"

namespace assay::vgpu {

class Shadow {
 public:
  static constexpr uint64_t kPageBytes = 1024;
  static constexpr uint32_t kLargestShift = 4;  // a cell holds up to 16 bytes, as long as all accesses are as wide
  static constexpr size_t kPlanes = 3;
  enum Plane : uint8_t { write, first_read, second_read };

  // Cells of which each differs from the one before by the same step.
  struct Run {
    AccessMark first = 0;
    uint32_t step = 0;
    uint16_t count = 1;
  };
  struct Page {                               // its users hold it, and see nothing of it
    std::array<AccessMark*, kPlanes> planes;  // nothing(): no cell has an access of this kind
    uint32_t shift = 0;                       // a cell holds 1 << shift bytes
    uint32_t uses = 0;                        // since it was opened
    bool packed = false;
    std::vector<Run> runs;  // of all cells of one plane after another, while the page is packed

    Page() { planes.fill(nothing()); }
    size_t cells() const { return kPageBytes >> shift; }
    bool has(size_t plane) const { return planes[plane] != nothing(); }
    size_t bytes() const;  // of its planes
  };

  class Cell {
   public:
    Cell(Shadow& shadow, Page& page, size_t index) : shadow_(shadow), page_(page), index_(index) {}
    AccessMark at(Plane plane) const { return page_.planes[plane][index_]; }
    void set(Plane plane, AccessMark mark) {
      if (!page_.has(plane)) shadow_.add_plane(page_, plane);
      page_.planes[plane][index_] = mark;
    }
    void clear(Plane plane) {
      if (at(plane) != 0) page_.planes[plane][index_] = 0;
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

  // Whether the next page that is asked for has others packed.
  bool is_full() const { return open_ > most_open_ + unpackable_; }

  // A cell that was looked up ahead, for lanes that access memory far apart and would wait for each in turn.
  struct Announced {
    Page* page;  // nullptr: for_each_cell() has to find out
    size_t cell;

    // Remembers the first access to a cell that has none.
    template <Plane plane>
    bool take_if_empty(AccessMark mark) const {
      ++page->uses;
      if (!page->has(plane) || (page->planes[write][cell] | page->planes[first_read][cell]) != 0) return false;
      if (plane == write && page->planes[second_read][cell] != 0) return false;
      page->planes[plane][cell] = mark;
      return true;
    }
  };
  // Has the processor fetch the cell. It is announced if the access is one to a whole cell.
  // Always inline: gcc takes a function that only prefetches for one without effect, and drops its calls.
  [[gnu::always_inline]] Announced announce(uint64_t address, uint64_t bytes) const {
    const uint64_t index = address / kPageBytes;
    Page* const page = index < pages_.size() ? pages_[index].get() : nullptr;
    if (page == nullptr) return {nullptr, 0};
    const size_t cell = address % kPageBytes >> page->shift;
    for (const AccessMark* const marks : page->planes) __builtin_prefetch(marks + cell, 1);
    const bool whole = bytes == uint64_t{1} << page->shift && (address & (bytes - 1)) == 0;
    return {whole && !page->packed ? page : nullptr, cell};
  }
  // Changes when announced cells are void.
  uint64_t layout() const { return layout_; }
  Cell cell_of(const Announced& announced) { return {*this, *announced.page, announced.cell}; }

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

  // The marks of a plane without any; never written to.
  alignas(64) inline static std::array<AccessMark, kPageBytes> nothing_{};
  static AccessMark* nothing() { return nothing_.data(); }

  // So that a cell is no larger than what these bits are a multiple of.
  static uint32_t shift_for(uint64_t bits) {
    const auto zeros = static_cast<uint32_t>(std::countr_zero(bits));
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
    if ((bits & ((uint64_t{1} << last_->shift) - 1)) != 0) refine(*last_, shift_for(bits));
    ++last_->uses;
    return *last_;
  }
  void open(uint64_t index, uint64_t bits);
  void replace(Page& page, size_t plane, AccessMark* marks, size_t cells_before);
  void add_plane(Page& page, size_t plane);
  void refine(Page& page, uint32_t shift);
  void pack_others();
  void drop_empty_planes(Page& page);
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
  uint64_t layout_ = 0;
  size_t open_ = 0;    // bytes of planes
  size_t packed_ = 0;  // bytes of runs
  size_t unpackable_ = 0;
};

}  // namespace assay::vgpu
