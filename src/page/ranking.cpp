// SPDX-License-Identifier: MIT
#include "page/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace assay::page {
namespace {

constexpr double kMinimumEffect = 0.01;  // as in a comparison: less is not called a difference

struct Entry {
  Ranked ranked;
  const MeasuredCase* measured = nullptr;
  size_t contender = 0;
};

// What a comparison in the same run said of a baseline and the candidate.
const AgainstCandidate* comparison_of(const Entry& one, const Entry& other) {
  if (one.measured != other.measured || (one.contender != 0 && other.contender != 0)) return nullptr;
  const auto& against = one.measured->contenders[std::max(one.contender, other.contender)].comparison;
  return against ? &*against : nullptr;
}

bool tied(const Entry& one, const Entry& other) {
  if (const AgainstCandidate* against = comparison_of(one, other))
    return against->verdict != "FASTER" && against->verdict != "SLOWER";
  const double ratio = other.ranked.p50_us / one.ranked.p50_us;
  if (std::abs(ratio - 1) < kMinimumEffect) return true;
  return one.ranked.median_us.low <= other.ranked.median_us.high &&
         other.ranked.median_us.low <= one.ranked.median_us.high;
}

}  // namespace

std::vector<Board> boards_of(const std::vector<MeasuredCase>& cases, size_t least) {
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  std::map<Key, std::map<std::string, Entry>> boards;
  for (const MeasuredCase& each : cases) {
    const std::string gpu = each.gpu.empty() ? each.attempt.device : each.gpu;
    auto& board = boards[{each.attempt.shape, gpu, each.protocol, each.attempt.comparable}];
    for (size_t i = 0; i < each.contenders.size(); ++i) {
      const MeasuredContender& contender = each.contenders[i];
      if (!contender.good || !contender.p50_us) continue;
      if (i == 0 && each.attempt.correct != std::optional(true)) continue;
      const std::string variant =
          i == 0 ? fmt::format("{} source {}", each.attempt.configuration, each.attempt.source_hash.substr(0, 7)) : "";
      stats::Interval median = contender.median_us;
      if (median.high <= 0) median = {*contender.p50_us, *contender.p50_us};
      board[(i == 0 ? "candidate " : "baseline ") + contender.name + variant] = {
          {contender.name, variant, *contender.p50_us, median, each.attempt.id, 1}, &each, i};
    }
  }
  std::vector<Board> list;
  for (auto& [key, entries] : boards) {
    if (entries.size() < least) continue;
    std::vector<Entry> order;
    for (auto& [name, entry] : entries) order.push_back(entry);
    std::ranges::stable_sort(order, {}, [](const Entry& entry) { return entry.ranked.p50_us; });
    // A group is what cannot be distinguished from its fastest member.
    size_t leader = 0;
    int group = 1;
    for (size_t i = 1; i < order.size(); ++i) {
      if (!tied(order[leader], order[i])) {
        leader = i;
        ++group;
      }
      order[i].ranked.group = group;
    }
    Board board{std::get<0>(key), std::get<1>(key), std::get<2>(key), {}};
    for (const Entry& entry : order) board.ranked.push_back(entry.ranked);
    list.push_back(std::move(board));
  }
  return list;
}

}  // namespace assay::page
