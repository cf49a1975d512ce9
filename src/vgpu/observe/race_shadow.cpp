// SPDX-License-Identifier: MIT
#include "vgpu/observe/race_shadow.hpp"

#include <utility>

namespace assay::vgpu {
namespace {

size_t bytes_of(const std::vector<ShadowCell>& cells) {
  return cells.size() * sizeof(ShadowCell);
}

// All but who.
bool is_alike(const AccessRecord& one, const AccessRecord& other) {
  return one.when == other.when && one.instruction == other.instruction;
}

}  // namespace

void Shadow::clear() {
  pages_.clear();
  last_ = nullptr;
  open_ = packed_ = unpackable_ = 0;
}

void Shadow::open(uint64_t index, uint64_t bits) {
  if (open_ > most_open_ + unpackable_) pack_others();
  if (index >= pages_.size()) pages_.resize(index + 1);
  auto& page = pages_[index];
  if (page == nullptr) {
    page = std::make_unique<Page>();
    page->shift = shift_for(bits);
    page->cells.resize(kPageBytes >> page->shift);
    open_ += bytes_of(page->cells);
  } else if (page->cells.empty()) {
    packed_ -= page->runs.size() * sizeof(Run);
    page->cells = cells_of(*page);
    page->runs = {};
    open_ += bytes_of(page->cells);
  }
  last_ = page.get();
  last_index_ = index;
}

void Shadow::refine(Page& page, uint32_t shift) {
  const uint32_t by = page.shift - shift;
  std::vector<ShadowCell> finer(page.cells.size() << by);
  for (size_t i = 0; i < finer.size(); ++i) finer[i] = page.cells[i >> by];
  open_ += bytes_of(finer) - bytes_of(page.cells);
  page.cells = std::move(finer);
  page.shift = shift;
}

// Pages that runs would not make smaller stay open, and are not counted against the others.
void Shadow::pack_others() {
  unpackable_ = 0;
  for (const auto& page : pages_) {
    if (page == nullptr || page.get() == last_ || page->cells.empty()) continue;
    std::vector<Run> runs = runs_of(page->cells);
    if (runs.size() * sizeof(Run) * 2 > bytes_of(page->cells)) {
      unpackable_ += bytes_of(page->cells);
      continue;
    }
    open_ -= bytes_of(page->cells);
    packed_ += runs.size() * sizeof(Run);
    page->runs = std::move(runs);
    page->cells = {};
  }
}

bool Shadow::continues(const Run& run, const ShadowCell& cell) {
  const uint32_t n = run.count;
  return is_alike(run.first.write, cell.write) && is_alike(run.first.reads[0], cell.reads[0]) &&
         is_alike(run.first.reads[1], cell.reads[1]) && cell.write.who == run.first.write.who + n * run.write_step &&
         cell.reads[0].who == run.first.reads[0].who + n * run.read_steps[0] &&
         cell.reads[1].who == run.first.reads[1].who + n * run.read_steps[1];
}

std::vector<Shadow::Run> Shadow::runs_of(const std::vector<ShadowCell>& cells) {
  std::vector<Run> runs;
  for (const ShadowCell& cell : cells) {
    if (!runs.empty()) {
      Run& run = runs.back();
      if (run.count == 1) {  // its second cell says what the steps are
        run.write_step = cell.write.who - run.first.write.who;
        for (size_t i = 0; i < 2; ++i) run.read_steps[i] = cell.reads[i].who - run.first.reads[i].who;
      }
      if (continues(run, cell)) {
        ++run.count;
        continue;
      }
    }
    runs.push_back({cell});
  }
  runs.shrink_to_fit();
  return runs;
}

std::vector<ShadowCell> Shadow::cells_of(const Page& page) {
  std::vector<ShadowCell> cells;
  cells.reserve(kPageBytes >> page.shift);
  for (const Run& run : page.runs) {
    ShadowCell cell = run.first;
    for (uint32_t i = 0; i < run.count; ++i) {
      cells.push_back(cell);
      cell.write.who += run.write_step;
      for (size_t r = 0; r < 2; ++r) cell.reads[r].who += run.read_steps[r];
    }
  }
  return cells;
}

}  // namespace assay::vgpu
