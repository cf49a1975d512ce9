// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_shadow.hpp"

#include <algorithm>
#include <utility>

namespace assay::vgpu {

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
    unpack(*page);
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

void Shadow::lay_out(Page& page, uint8_t shift, uint32_t present) {
  Page made;
  made.shift = shift;
  made.present = static_cast<uint8_t>(present);
  made.stride = kCount[present];
  const auto by = static_cast<uint32_t>(page.shift - shift);
  made.marks = pool_.take(made.cells(), made.stride);
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    if (!made.has(plane)) continue;
    AccessMark* to = made.marks + made.slot(plane);
    for (size_t cell = 0; cell < made.cells(); ++cell, to += made.stride) *to = page.at(plane, cell >> by);
  }
  pool_.give(page.marks, page.cells(), page.stride);
  open_ += made.bytes();
  open_ -= page.bytes();
  page.marks = made.marks;
  page.shift = made.shift;
  page.present = made.present;
  page.stride = made.stride;
}

void Shadow::drop_empty_planes(Page& page) {
  uint32_t used = 0;
  for (size_t i = 0; i < page.cells(); ++i) {
    for (size_t plane = 0; plane < kPlanes; ++plane) used |= page.at(plane, i) != 0 ? 1u << plane : 0;
  }
  if (used != page.present) lay_out(page, page.shift, used);
}

// Pages that runs would not make smaller stay open, and are not counted against the others.
void Shadow::pack_others() {
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
    pack(*page, std::move(runs));
  }
}

std::vector<Shadow::Run> Shadow::runs_of(const Page& page) {
  std::vector<Run> runs;
  for (size_t plane = 0; plane < kPlanes; ++plane) {
    const size_t first = runs.size();
    for (size_t i = 0; i < page.cells(); ++i) {
      const AccessMark mark = page.at(plane, i);
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

void Shadow::pack(Page& page, std::vector<Run> runs) {
  lay_out(page, page.shift, 0);
  packed_ += runs.size() * sizeof(Run);
  page.runs = std::make_unique<std::vector<Run>>(std::move(runs));
  page.packed = true;
}

void Shadow::unpack(Page& page) {
  const std::unique_ptr<std::vector<Run>> runs = std::move(page.runs);
  packed_ -= runs->size() * sizeof(Run);
  // Planes in turn, each of as many runs as it takes to name all cells.
  const auto for_each_run = [&](auto&& body) {
    size_t cell = 0;
    for (const Run& run : *runs) {
      body(run, cell / page.cells(), cell % page.cells());
      cell += run.count;
    }
  };
  uint32_t present = 0;
  for_each_run([&](const Run& run, size_t plane, size_t) {
    if (run.first != 0 || run.step != 0) present |= 1u << plane;
  });
  lay_out(page, page.shift, present);
  for_each_run([&](const Run& run, size_t plane, size_t cell) {
    if (!page.has(plane)) return;
    AccessMark* to = page.marks + cell * page.stride + page.slot(plane);
    for (uint32_t k = 0; k < run.count; ++k, to += page.stride) *to = run.first + k * run.step;
  });
  page.packed = false;
  page.uses = 0;
}

void Shadow::collect() {
  size_t visited = 0;
  const auto for_all_marks = [&](auto&& body) {
    for (const auto& page : pages_) {
      if (page == nullptr) continue;
      const bool packed = page->packed;
      if (packed) unpack(*page);
      const size_t count = page->cells() * page->stride;
      visited += count;
      for (size_t i = 0; i < count; ++i) body(page->marks[i]);
      if (packed) pack(*page, runs_of(*page));
    }
  };
  std::vector<bool> used(accesses_.size());
  for_all_marks([&](AccessMark mark) { used[AccessTable::index_of(mark)] = true; });
  const std::vector<uint32_t> now = accesses_.keep(used);
  for_all_marks([&](AccessMark& mark) {
    constexpr AccessMark kRest = AccessTable::kLanes | AccessTable::kSeveral;
    mark = (mark & kRest) | now[AccessTable::index_of(mark)] << AccessTable::kIndexShift;
  });
  // So many more that looking at all cells again is worth it.
  most_accesses_ = std::max({kFewAccesses, 2 * accesses_.size(), accesses_.size() + visited / 32});
}

}  // namespace assay::vgpu
