// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_shadow.hpp"

#include <algorithm>
#include <utility>

namespace assay::vgpu {

size_t Shadow::Page::bytes() const {
  size_t present = 0;
  for (size_t plane = 0; plane < kPlanes; ++plane) present += has(plane) ? 1 : 0;
  return present * cells() * sizeof(AccessMark);
}

void Shadow::clear() {
  pages_.clear();
  pool_.clear();
  accesses_.clear();
  most_accesses_ = kFewAccesses;
  last_ = nullptr;
  open_ = packed_ = unpackable_ = 0;
}

void Shadow::open(uint64_t index, uint64_t bits) {
  if (is_full()) pack_others();
  if (index >= pages_.size()) pages_.resize(index + 1);
  auto& page = pages_[index];
  if (page == nullptr) {
    page = std::make_unique<Page>();
    page->shift = shift_for(bits);
  } else if (page->packed) {
    packed_ -= page->runs.size() * sizeof(Run);
    unpack(*page);
    open_ += page->bytes();
  }
  last_ = page.get();
  last_index_ = index;
}

void Shadow::complete_copies(uint64_t address, uint64_t bytes, uint32_t who, uint32_t stamp, Copies which) {
  AccessMark before = 0, after = 0;  // the last copy that was met
  for_each_cell(address, bytes, [&](Cell cell, uint64_t, uint64_t) {
    const AccessMark mark = cell.at(write);
    if (mark == 0) return;
    if (mark != before) {
      AccessRecord copy = accesses_.access(mark);
      const bool meant = which == Copies::all || copy.who == who;
      before = mark;
      after = mark;
      if (meant && copy.stamp() == AccessRecord::kUnderWay) {
        copy.who = who;
        copy.when = (copy.when & ~AccessRecord::kUnderWay) | stamp;
        after = accesses_.mark(copy);
      }
    }
    cell.set(write, after);
  });
}

void Shadow::replace(Page& page, size_t plane, AccessMark* marks, size_t cells_before) {
  if (page.has(plane)) pool_.give(page.planes[plane], cells_before);
  page.planes[plane] = marks;
}

void Shadow::add_plane(Page& page, size_t plane) {
  page.planes[plane] = pool_.take_zeroed(page.cells());
  open_ += page.cells() * sizeof(AccessMark);
}

void Shadow::refine(Page& page, uint32_t shift) {
  ++layout_;
  open_ -= page.bytes();
  const uint32_t by = page.shift - shift;
  const size_t before = page.cells();
  page.shift = shift;
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    if (!page.has(plane)) continue;
    AccessMark* const finer = pool_.take(page.cells());
    for (size_t i = 0; i < page.cells(); ++i) finer[i] = page.planes[plane][i >> by];
    replace(page, plane, finer, before);
  }
  open_ += page.bytes();
}

void Shadow::drop_empty_planes(Page& page) {
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    const AccessMark* const marks = page.planes[plane];
    if (!page.has(plane) || std::any_of(marks, marks + page.cells(), [](AccessMark mark) { return mark != 0; }))
      continue;
    replace(page, plane, nothing(), page.cells());
    open_ -= page.cells() * sizeof(AccessMark);
  }
}

// Pages that runs would not make smaller stay open, and are not counted against the others.
void Shadow::pack_others() {
  ++layout_;
  unpackable_ = 0;
  for (const auto& page : pages_) {
    if (page == nullptr || page.get() == last_ || page->packed) continue;
    drop_empty_planes(*page);
    constexpr size_t kFewUses = 8;  // of so many cells, one
    const bool in_order = page->uses >= page->cells() / kFewUses;
    std::vector<Run> runs = in_order ? runs_of(*page) : std::vector<Run>();
    if (!in_order || runs.size() * sizeof(Run) * 2 > page->bytes()) {
      unpackable_ += page->bytes();
      continue;
    }
    open_ -= page->bytes();
    packed_ += runs.size() * sizeof(Run);
    for (size_t plane = 0; plane < kPlanes; ++plane) replace(*page, plane, nothing(), page->cells());
    page->runs = std::move(runs);
    page->packed = true;
  }
}

std::vector<Shadow::Run> Shadow::runs_of(const Page& page) {
  std::vector<Run> runs;
  for (const AccessMark* const marks : page.planes) {
    const size_t first = runs.size();
    for (size_t i = 0; i < page.cells(); ++i) {
      if (runs.size() > first) {
        Run& run = runs.back();
        if (run.count == 1) run.step = marks[i] - run.first;  // its second cell says what the step is
        if (marks[i] == run.first + run.count * run.step) {
          ++run.count;
          continue;
        }
      }
      runs.push_back({marks[i]});
    }
  }
  runs.shrink_to_fit();
  return runs;
}

void Shadow::unpack(Page& page) {
  auto run = page.runs.begin();
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    if (run->count == page.cells() && run->first == 0 && run->step == 0) {
      ++run;
      continue;
    }
    AccessMark* const marks = pool_.take(page.cells());
    for (size_t i = 0; i < page.cells(); ++run) {
      for (uint32_t k = 0; k < run->count; ++k) marks[i++] = run->first + k * run->step;
    }
    replace(page, plane, marks, page.cells());
  }
  page.runs = {};
  page.packed = false;
  page.uses = 0;
}

void Shadow::collect() {
  ++layout_;
  size_t visited = 0;
  const auto for_each_plane = [&](auto&& body) {
    for (const auto& page : pages_) {
      if (page == nullptr) continue;
      const bool packed = page->packed;
      if (packed) {
        packed_ -= page->runs.size() * sizeof(Run);
        unpack(*page);
      }
      for (size_t plane = 0; plane < kPlanes; ++plane) {
        if (!page->has(plane)) continue;
        visited += page->cells();
        body(page->planes[plane], page->cells());
      }
      if (packed) {
        page->runs = runs_of(*page);
        packed_ += page->runs.size() * sizeof(Run);
        for (size_t plane = 0; plane < kPlanes; ++plane) replace(*page, plane, nothing(), page->cells());
        page->packed = true;
      }
    }
  };
  std::vector<bool> used(accesses_.size());
  for_each_plane([&](const AccessMark* marks, size_t cells) {
    for (size_t i = 0; i < cells; ++i) used[AccessTable::index_of(marks[i])] = true;
  });
  const std::vector<uint32_t> now = accesses_.keep(used);
  for_each_plane([&](AccessMark* marks, size_t cells) {
    for (size_t i = 0; i < cells; ++i) {
      constexpr AccessMark kRest = AccessTable::kLanes | AccessTable::kSeveral;
      marks[i] = (marks[i] & kRest) | now[AccessTable::index_of(marks[i])] << AccessTable::kIndexShift;
    }
  });
  // So many more that looking at all cells again is worth it.
  most_accesses_ = std::max({kFewAccesses, 2 * accesses_.size(), accesses_.size() + visited / 32});
}

}  // namespace assay::vgpu
