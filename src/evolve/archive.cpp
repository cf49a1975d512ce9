// SPDX-License-Identifier: MIT
#include "evolve/archive.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::evolve {

std::string shared_memory_class(int64_t bytes) {
  if (bytes <= 0) return "none";
  for (const int64_t limit : {16, 48, 100, 164}) {
    if (bytes <= limit * 1024) return fmt::format("up to {} KiB", limit);
  }
  return "more than 164 KiB";
}

std::string work_class(double outputs_per_thread) {
  if (outputs_per_thread < 0.75) return "less than 1";
  const double limit = std::exp2(std::ceil(std::log2(outputs_per_thread) - 1e-9));
  if (limit <= 2) return fmt::format("{:.0f}", std::max(1.0, limit));
  return fmt::format("{:.0f} to {:.0f}", limit / 2 + 1, limit);
}

std::string to_string(const Cell& cell) {
  return fmt::format("{}, shared memory {}, {} stage{}, {} a thread", cell.limiter, cell.shared_memory, cell.stages,
                     cell.stages == 1 ? "" : "s", cell.work_per_thread);
}

bool Archive::add(const Cell& cell, const Champion& champion) {
  const auto [place, first] = cells_.emplace(cell, champion);
  if (first) return true;
  if (champion.ratio >= place->second.ratio) return false;
  place->second = champion;
  return true;
}

std::string Archive::parent(const std::string& incumbent, size_t since_accepted) const {
  constexpr size_t kPatience = 4;
  if (since_accepted < kPatience || since_accepted % 2 == 0) return incumbent;
  std::vector<std::string> others;
  for (const auto& [cell, champion] : cells_) {
    if (champion.id != incumbent) others.push_back(champion.id);
  }
  if (others.empty()) return incumbent;
  return others[(since_accepted / 2) % others.size()];
}

}  // namespace assay::evolve
