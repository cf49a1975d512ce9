// SPDX-License-Identifier: MIT
#include "judge/units.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace assay::judge {
namespace {

// What is left of a block, or an empty block if less than half of it is left.
Block unthrottled(const Block& block) {
  if (block.throttled.empty()) return block;
  Block kept{{}, {}, block.clock_mhz};
  kept.microseconds.reserve(block.microseconds.size());
  for (size_t i = 0; i < block.microseconds.size(); ++i) {
    if (!block.throttled[i]) kept.microseconds.push_back(block.microseconds[i]);
  }
  if (2 * kept.microseconds.size() < block.microseconds.size()) kept.microseconds.clear();
  return kept;
}

Blocks unthrottled(const Blocks& blocks) {
  Blocks kept;
  kept.reserve(blocks.size());
  for (const Block& block : blocks) kept.push_back(unthrottled(block));
  return kept;
}

void drop_empty(Blocks& blocks) {
  std::erase_if(blocks, [](const Block& block) { return block.microseconds.empty(); });
}

void drop_empty_pairs(Blocks& first, Blocks& second) {
  Blocks kept_first;
  Blocks kept_second;
  for (size_t i = 0; i < first.size(); ++i) {
    if (first[i].microseconds.empty() || second[i].microseconds.empty()) continue;
    kept_first.push_back(std::move(first[i]));
    kept_second.push_back(std::move(second[i]));
  }
  first = std::move(kept_first);
  second = std::move(kept_second);
}

// Neighbouring blocks joined, as evenly as whole blocks allow.
Blocks join(const Blocks& blocks, size_t count) {
  Blocks joined(count);
  for (size_t unit = 0; unit < count; ++unit) {
    const size_t first = unit * blocks.size() / count;
    const size_t last = (unit + 1) * blocks.size() / count;
    const Blocks part(blocks.begin() + static_cast<ptrdiff_t>(first), blocks.begin() + static_cast<ptrdiff_t>(last));
    joined[unit] = {pooled(part), {}, mean_clock(part)};
  }
  return joined;
}

// All samples in a row, cut into `count` stretches of nearly the same length; fewer if there are too few samples.
Blocks cut(const Blocks& blocks, size_t count) {
  const std::vector<double> times = pooled(blocks);
  count = std::min(count, times.size());
  const auto clock = mean_clock(blocks);
  Blocks stretches(count);
  for (size_t i = 0; i < count; ++i) {
    const auto first = times.begin() + static_cast<ptrdiff_t>(i * times.size() / count);
    const auto last = times.begin() + static_cast<ptrdiff_t>((i + 1) * times.size() / count);
    stretches[i] = {std::vector<double>(first, last), {}, clock};
  }
  return stretches;
}

Blocks fit(const Blocks& blocks) {
  if (blocks.size() > kMaximumUnits) return join(blocks, kJoinedUnits);
  return blocks.size() < kMinimumUnits ? cut(blocks, kCutUnits) : blocks;
}

}  // namespace

Units make_units(const Blocks& candidate, const Blocks& baseline, bool interleaved, bool keep_throttled) {
  Units units{keep_throttled ? candidate : unthrottled(candidate),
              keep_throttled ? baseline : unthrottled(baseline),
              interleaved,
              {}};
  if (interleaved && candidate.size() != baseline.size()) {
    const size_t pairs = std::min(candidate.size(), baseline.size());
    units.warnings.push_back(fmt::format("{} blocks of the candidate and {} of the baseline: {} pairs are compared",
                                         candidate.size(), baseline.size(), pairs));
    units.candidate.resize(pairs);
    units.baseline.resize(pairs);
  }
  if (interleaved) {
    drop_empty_pairs(units.candidate, units.baseline);
    if (units.candidate.size() < kMinimumUnits) {
      units.paired = false;
      units.warnings.push_back(fmt::format(
          "only {} pairs of blocks: drift during the run cannot be told from a difference; take at least {}",
          units.candidate.size(), kMinimumUnits));
    }
  } else {
    drop_empty(units.candidate);
    drop_empty(units.baseline);
    units.warnings.emplace_back(
        "candidate and baseline were measured in separate runs; measure them interleaved for a sharper verdict");
  }
  units.candidate = fit(units.candidate);
  units.baseline = fit(units.baseline);
  return units;
}

}  // namespace assay::judge
