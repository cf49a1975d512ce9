// SPDX-License-Identifier: MIT
#include "describe/stride_uses.hpp"

#include <algorithm>
#include <utility>

#include "describe/reach_survey.hpp"

namespace assay::describe {
namespace {

// Bytes, elements and vectors alike stay aligned.
constexpr int64_t kStep = 16;
// Longer than most rows, so that the last row reaches furthest; shorter where that leaves a tensor's room.
constexpr std::array<int64_t, 2> kStrides{512, 48};

}  // namespace

Result<std::optional<Reach>> StrideUses::run(const Setting& setting, int64_t stride,
                                             const std::vector<size_t>& longer) {
  Setting with = setting;
  with.strides.assign(question_.strides.size(), stride);
  for (const size_t each : longer) with.strides[each] += kStep;
  return probe_(with);
}

Result<bool> StrideUses::find() {
  std::optional<Reach> before;
  Setting setting;
  for (size_t axis = 0; axis < 3; ++axis) setting.grid[axis] = question_.question.axes[axis] ? 3 : 1;
  int64_t stride = 0;
  for (const int64_t scale : {4, 16, 64}) {
    setting.sizes = fresh_sizes(question_.question, scale, 0);
    for (const int64_t each : kStrides) {
      stride = each;
      ASSAY_TRY(before, run(setting, stride, {}));
      if (before) break;
    }
    if (before) break;
  }
  if (!before) return false;
  for (size_t each = 0; each < question_.strides.size(); ++each) {
    ASSAY_TRY(const std::optional<Reach> after, run(setting, stride, {each}));
    if (!after) return false;
    for (size_t tensor = 0; tensor < question_.question.tensors; ++tensor) {
      if ((*after)[tensor] > (*before)[tensor]) uses_.push_back({tensor, each, question_.vectors[tensor], 1});
    }
  }
  group();
  return !uses_.empty();
}

void StrideUses::group() {
  const auto meet = [&](size_t a, size_t b) {
    return std::ranges::any_of(uses_, [&](const StrideUse& one) {
      return one.stride == a && std::ranges::any_of(uses_, [&](const StrideUse& other) {
               return other.stride == b && other.tensor == one.tensor;
             });
    });
  };
  for (size_t each = 0; each < question_.strides.size(); ++each) {
    if (std::ranges::none_of(uses_, [&](const StrideUse& use) { return use.stride == each; })) continue;
    const auto place = std::ranges::find_if(groups_, [&](const std::vector<size_t>& group) {
      return std::ranges::none_of(group, [&](size_t other) { return meet(each, other); });
    });
    if (place == groups_.end()) {
      groups_.push_back({each});
    } else {
      place->push_back(each);
    }
  }
}

// What each use adds for one step more. False if it is no whole number of rows: it counts another unit.
bool StrideUses::peel(const std::vector<Reach>& longer, int64_t stride, Reach& inner, Reach& rows) {
  const Reach before = inner;
  for (StrideUse& use : uses_) {
    const auto group = std::ranges::find_if(
        groups_, [&](const std::vector<size_t>& each) { return std::ranges::find(each, use.stride) != each.end(); });
    const Reach& after = longer[static_cast<size_t>(group - groups_.begin())];
    const int64_t added = (after[use.tensor] - before[use.tensor]) * use.denominator;
    const int64_t one = kStep * use.numerator;
    if (added % one != 0) {
      const int64_t bytes = question_.element_bytes[use.tensor];
      if (use.numerator == 1 && use.denominator == bytes) {  // no unit is left: its rows cannot be explained
        rows.push_back(0);
        continue;
      }
      use.denominator = use.numerator > 1 ? 1 : bytes;
      use.numerator = 1;
      changed_ = true;
      return false;
    }
    rows.push_back(before[use.tensor] == 0 ? 0 : added / one + 1);
    inner[use.tensor] -= added / one * stride * use.numerator / use.denominator;
  }
  return true;
}

Result<std::optional<Reach>> StrideUses::reach_with(const Setting& setting, int64_t stride) {
  ASSAY_TRY(std::optional<Reach> inner, run(setting, stride, {}));
  if (!inner) return std::optional<Reach>();
  if (setting.rough) {
    inner->resize(inner->size() + uses_.size());
    return inner;
  }
  std::vector<Reach> longer;
  for (const std::vector<size_t>& group : groups_) {
    ASSAY_TRY(std::optional<Reach> after, run(setting, stride, group));
    if (!after) return std::optional<Reach>();
    longer.push_back(*std::move(after));
  }
  Reach rows;
  if (!peel(longer, stride, *inner, rows)) return std::optional<Reach>();
  inner->insert(inner->end(), rows.begin(), rows.end());
  return inner;
}

Result<std::optional<Reach>> StrideUses::reach(const Setting& setting) {
  for (const int64_t stride : kStrides) {
    if (changed_) break;
    ASSAY_TRY(std::optional<Reach> found, reach_with(setting, stride));
    if (found) return found;
  }
  return std::optional<Reach>();
}

bool StrideUses::changed_unit() {
  return std::exchange(changed_, false);
}

}  // namespace assay::describe
