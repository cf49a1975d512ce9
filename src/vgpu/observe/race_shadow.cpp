// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_shadow.hpp"

#include <algorithm>
#include <utility>

namespace assay::vgpu {

void Shadow::clear() {
  pages_.clear();
  outlines_.clear();
  pool_.clear();
  accesses_.clear();
  most_accesses_ = kFewAccesses;
  last_ = nullptr;
  open_ = packed_ = unpackable_ = 0;
}

void Shadow::open(uint64_t index, uint64_t bits) {
  if (is_full()) pack_others();
  if (index >= pages_.size()) {
    pages_.resize(index + 1);
    outlines_.resize(index + 1);
  }
  auto& page = pages_[index];
  if (page == nullptr) {
    page = std::make_unique<Page>();
    page->index = index;
    page->shift = shift_for(bits);
    note(*page);
  } else if (page->packed) {
    packed_ -= page->runs.size() * sizeof(Run);
    unpack(*page);
    note(*page);
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
  page.strides[plane] = marks != nothing() ? 1 : 0;
}

// Of a page that is not ready for it. Once its planes are woven it is.
Shadow::Announced Shadow::announce_apart(uint64_t index, uint64_t address, uint32_t shift) {
  if (outlines_[index].state != Outline::apart) return {nullptr, 0};
  const Page& page = *pages_[index];
  const size_t cell = address % kPageBytes >> page.shift;
  for (size_t plane = 0; plane < kPlanes; ++plane) __builtin_prefetch(&page.mark(plane, cell), 1);
  if (page.shift == shift && open_ <= kMostWoven) weave(*pages_[index]);
  return {nullptr, 0};
}

void Shadow::note(const Page& page) {
  ++layout_;
  Outline& outline = outlines_[page.index];
  outline.front = page.front();
  outline.shift = static_cast<uint8_t>(page.shift);
  outline.stride = static_cast<uint8_t>(page.woven ? page.count() : 1);
  outline.planes = 0;
  for (size_t plane = 0; plane < kPlanes; ++plane)
    if (page.has(plane)) outline.planes |= static_cast<uint8_t>(1u << plane);
  const bool closed = page.packed || page.count() == 0;
  outline.state = closed ? Outline::closed : page.count() > 1 && !page.woven ? Outline::apart : Outline::open;
}

void Shadow::add_plane(Page& page, size_t plane) {
  if (page.woven || (no_order_ && page.count() > 0 && open_ <= kMostWoven)) {
    // Who reads what another one wrote is seldom the only one, and weaving once more costs more than the room.
    open_ -= page.bytes();
    weave(page, {true, true, true});
    open_ += page.bytes();
  } else {
    replace(page, plane, pool_.take_zeroed(page.cells()), page.cells());
    note(page);
    open_ += page.cells() * sizeof(AccessMark);
  }
}

void Shadow::weave(Page& page) {
  weave(page, {page.has(write), page.has(first_read), page.has(second_read)});
}

void Shadow::weave(Page& page, const std::array<bool, kPlanes>& wanted) {
  const Page before = page;
  const auto count = static_cast<uint32_t>(std::ranges::count(wanted, true));
  AccessMark* next = pool_.take(page.cells() * count);
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    if (!wanted[plane]) continue;
    for (size_t i = 0; i < page.cells(); ++i) next[i * count] = before.mark(plane, i);
    page.planes[plane] = next++;
    page.strides[plane] = count;
  }
  if (before.woven) {
    pool_.give(before.front(), before.cells() * before.count());
  } else {
    for (size_t plane = 0; plane < kPlanes; ++plane) {
      if (before.has(plane)) pool_.give(before.planes[plane], before.cells());
    }
  }
  page.woven = true;
  note(page);
}

void Shadow::unweave(Page& page) {
  if (!page.woven) return;
  const Page before = page;
  page.woven = false;
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    if (!before.has(plane)) continue;
    page.planes[plane] = pool_.take(page.cells());
    page.strides[plane] = 1;
    for (size_t i = 0; i < page.cells(); ++i) page.planes[plane][i] = before.mark(plane, i);
  }
  note(page);
  pool_.give(before.front(), before.cells() * before.count());
}

void Shadow::refine(Page& page, uint32_t shift) {
  unweave(page);
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
  note(page);
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
  unpackable_ = 0;
  for (const auto& page : pages_) {
    if (page == nullptr || page.get() == last_ || page->packed) continue;
    unweave(*page);
    drop_empty_planes(*page);
    constexpr size_t kFewUses = 8;  // of so many cells, one
    const bool in_order = page->uses >= page->cells() / kFewUses;
    std::vector<Run> runs = in_order ? runs_of(*page) : std::vector<Run>();
    if (!in_order || runs.size() * sizeof(Run) * 2 > page->bytes()) {
      unpackable_ += page->bytes();
      note(*page);
      continue;
    }
    open_ -= page->bytes();
    packed_ += runs.size() * sizeof(Run);
    for (size_t plane = 0; plane < kPlanes; ++plane) replace(*page, plane, nothing(), page->cells());
    page->runs = std::move(runs);
    page->packed = true;
    note(*page);
  }
}

std::vector<Shadow::Run> Shadow::runs_of(const Page& page) {
  std::vector<Run> runs;
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    const size_t first = runs.size();
    for (size_t i = 0; i < page.cells(); ++i) {
      const AccessMark mark = page.mark(plane, i);
      if (runs.size() > first) {
        Run& run = runs.back();
        if (run.count == 1) run.step = mark - run.first;  // its second cell says what the step is
        if (mark == run.first + run.count * run.step) {
          ++run.count;
          continue;
        }
      }
      runs.push_back({mark});
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
      if (page->woven) {
        visited += page->cells() * page->count();
        body(page->front(), page->cells() * page->count());
      }
      for (size_t plane = 0; plane < kPlanes && !page->woven; ++plane) {
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
