// SPDX-License-Identifier: MIT
#include "stats/explained_variance.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace assay::stats {
namespace {

struct Group {
  double sum = 0;
  double count = 0;
};

}  // namespace

std::optional<double> explained_variance(std::span<const double> values, std::span<const size_t> groups) {
  if (values.size() < 2 || values.size() != groups.size()) return std::nullopt;
  if (std::ranges::adjacent_find(values, std::not_equal_to()) == values.end()) return std::nullopt;
  std::map<size_t, Group> grouped;
  Group all;
  for (size_t i = 0; i < values.size(); ++i) {
    Group& group = grouped[groups[i]];
    group.sum += values[i];
    group.count += 1;
    all.sum += values[i];
    all.count += 1;
  }
  if (grouped.size() == values.size()) return std::nullopt;
  double within = 0;
  double total = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const Group& group = grouped[groups[i]];
    const double from_group = values[i] - group.sum / group.count;
    const double from_all = values[i] - all.sum / all.count;
    within += from_group * from_group;
    total += from_all * from_all;
  }
  const auto freedom = static_cast<double>(values.size() - grouped.size());
  return std::max(0.0, 1 - (within / freedom) / (total / (all.count - 1)));
}

}  // namespace assay::stats
