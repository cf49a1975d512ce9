// SPDX-License-Identifier: MIT
// What the race check remembers of memory: of every cell the last write and two reads that nothing orders, four bytes
// each. A page begins with cells as wide as its first access, and takes them apart where an access is narrower. It has
// room for writes, first and second reads as soon as there are any. Pages that nobody looks at are packed: neighbouring
// cells mostly differ by the lane alone. Pages that are looked at here and there stay open: they would be packed and
// opened again for every access. Of those the marks of a cell lie side by side (woven), so that the processor fetches
// one line for an access; of the others the marks of a plane do, so that those of neighbouring cells are compared at
// once.
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
    std::array<uint32_t, kPlanes> strides{};  // from the mark of a cell to the next cell's; 0: nothing()
    uint32_t shift = 0;                       // a cell holds 1 << shift bytes
    uint32_t uses = 0;                        // since it was opened
    bool packed = false;
    bool woven = false;
    uint64_t index = 0;
    std::vector<Run> runs;  // of all cells of one plane after another, while the page is packed

    Page() { planes.fill(nothing()); }
    size_t cells() const { return kPageBytes >> shift; }
    bool has(size_t plane) const { return strides[plane] != 0; }
    size_t count() const { return size_t{has(write)} + size_t{has(first_read)} + size_t{has(second_read)}; }
    size_t bytes() const { return count() * cells() * sizeof(AccessMark); }  // of its planes
    AccessMark& mark(size_t plane, size_t cell) const { return planes[plane][cell * strides[plane]]; }
    AccessMark* front() const {  // the first mark of a woven page, or of the only plane
      return has(write) ? planes[write] : has(first_read) ? planes[first_read] : planes[second_read];
    }
  };

  // What accesses in no order need of a page, so little that the processor's first cache holds it for many pages.
  struct Outline {
    enum State : uint8_t { closed, apart, open };  // not there or packed; several planes, not woven; all else
    AccessMark* front = nullptr;
    uint8_t shift = 0;
    uint8_t stride = 0;
    uint8_t planes = 0;  // a bit for each
    State state = closed;
  };

  class Cell {
   public:
    Cell(Shadow& shadow, Page& page, size_t index) : shadow_(shadow), page_(page), index_(index) {}
    AccessMark at(Plane plane) const { return page_.mark(plane, index_); }
    void set(Plane plane, AccessMark mark) {
      if (!page_.has(plane)) shadow_.add_plane(page_, plane);
      page_.mark(plane, index_) = mark;
    }
    void clear(Plane plane) {
      if (at(plane) != 0) page_.mark(plane, index_) = 0;
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

  // The marks of neighbouring cells, as far as one page has them.
  struct Row {
    Page* page = nullptr;  // nullptr: its marks do not lie side by side
    size_t first = 0;      // its cells
    size_t count = 0;
    uint32_t cells_shift = 0;  // 1 << cells_shift of them belong to an element

    bool has(size_t plane) const { return page->has(plane); }
    AccessMark* marks(size_t plane) const { return page->planes[plane] + first; }
  };
  // Of up to `count` elements of `bytes` bytes, a power of two, that lie one behind another.
  Row row(uint64_t address, uint64_t bytes, size_t count) {
    const uint64_t in_page = address % kPageBytes;
    const uint64_t fit = (kPageBytes - in_page) / bytes;
    if (fit == 0) return {};
    Page& page = page_at(address / kPageBytes, in_page | bytes);
    if (page.woven) return {};
    const size_t elements = count < fit ? count : static_cast<size_t>(fit);
    page.uses += static_cast<uint32_t>(elements) - 1;
    const auto by = static_cast<uint32_t>(std::countr_zero(bytes)) - page.shift;
    return {&page, in_page >> page.shift, elements << by, by};
  }
  AccessMark* marks_of(const Row& row, Plane plane) {
    if (!row.has(plane)) add_plane(*row.page, plane);
    return row.marks(plane);
  }

  // Calls body(plane, mark, address, bytes) for every access that is remembered.
  template <class Body>
  void for_each_mark(Body&& body) {
    for (uint64_t index = 0; index < pages_.size(); ++index) {
      if (pages_[index] == nullptr) continue;
      const Page& page = page_at(index, kPageBytes);
      for (size_t plane = 0; plane < kPlanes; ++plane) {
        for (size_t cell = 0; page.has(plane) && cell < page.cells(); ++cell) {
          const AccessMark mark = page.mark(plane, cell);
          const auto address = index * kPageBytes + (cell << page.shift);
          if (mark != 0) body(static_cast<Plane>(plane), mark, address, uint32_t{1} << page.shift);
        }
      }
    }
  }

  // Whether the next page that is asked for has others packed.
  bool is_full() const { return open_ > most_open_ + unpackable_; }

  // A cell that was looked up ahead, for lanes that access memory far apart and would wait for each in turn.
  struct Announced {
    AccessMark* marks;  // those of the cell; nullptr: for_each_cell() has to find out
    uint32_t planes;    // which they are of
  };
  // Has the processor fetch the cell. It is announced if the access is one to a whole cell of 1 << shift bytes, and
  // valid as long as layout() is the same.
  // Always inline: gcc takes a function that only prefetches for one without effect, and drops its calls.
  [[gnu::always_inline]] Announced announce(uint64_t address, uint32_t shift) {
    const uint64_t index = address / kPageBytes;
    if (index >= outlines_.size()) [[unlikely]]
      return {};
    const Outline& page = outlines_[index];
    if (page.state != Outline::open || page.shift != shift || (address & ((uint64_t{1} << shift) - 1)) != 0)
        [[unlikely]]
      return announce_apart(index, address, shift);
    AccessMark* const marks = page.front + (address % kPageBytes >> shift) * page.stride;
    __builtin_prefetch(marks, 1);
    if (page.stride == kPlanes) __builtin_prefetch(marks + kPlanes - 1, 1);  // which may lie in the next line
    return {marks, page.planes};
  }
  // Planes that are added are woven with the others.
  void expect_no_order(bool expected) { no_order_ = expected; }
  // Changes when announced cells are void.
  uint64_t layout() const { return layout_; }

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
  static constexpr size_t kMostWoven = 48
                                       << 20;  // weaving leaves holes in the pool, too many where the shadow is large

  // The mark of all cells without one; never written to.
  inline static AccessMark nothing_ = 0;
  static AccessMark* nothing() { return &nothing_; }

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
  Announced announce_apart(uint64_t index, uint64_t address, uint32_t shift);
  void note(const Page& page);  // in its outline
  void weave(Page& page);
  void weave(Page& page, const std::array<bool, kPlanes>& wanted);
  void unweave(Page& page);
  void refine(Page& page, uint32_t shift);
  void pack_others();
  void drop_empty_planes(Page& page);
  void unpack(Page& page);
  void collect();
  static std::vector<Run> runs_of(const Page& page);

  MarkPool pool_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<Outline> outlines_;  // of the pages
  AccessTable accesses_;
  Page* last_ = nullptr;  // that was asked for
  uint64_t last_index_ = 0;
  size_t most_open_;
  size_t most_accesses_ = kFewAccesses;
  uint64_t layout_ = 0;
  bool no_order_ = false;
  size_t open_ = 0;    // bytes of planes
  size_t packed_ = 0;  // bytes of runs
  size_t unpackable_ = 0;
};

}  // namespace assay::vgpu
