// SPDX-License-Identifier: MIT
#include "tune/forest.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace assay::tune {
namespace {

constexpr size_t kTrees = 24;
constexpr int kDeepest = 8;

double impurity(double good, double all) {
  return all > 0 ? good * (all - good) / all : 0;
}

}  // namespace

void SuccessForest::learn(std::span<const size_t> configurations, const std::vector<bool>& succeeded) {
  trees_.clear();
  const auto good = static_cast<size_t>(std::ranges::count(succeeded, true));
  if (good == succeeded.size()) return;
  const double overall = (static_cast<double>(good) + 1) / (static_cast<double>(succeeded.size()) + 2);
  Random random(seed_);
  const size_t tried = std::max<size_t>(2, features_.list.size() / 2);
  for (size_t t = 0; t < kTrees; ++t) {
    std::vector<size_t> drawn(configurations.size());
    for (size_t& each : drawn) each = random.below(configurations.size());
    Tree tree;
    const auto grow = [&](const auto& self, std::vector<size_t> members, int depth) -> uint32_t {
      const auto place = static_cast<uint32_t>(tree.size());
      tree.emplace_back();
      double successes = 0;
      for (const size_t each : members) successes += succeeded[each] ? 1 : 0;
      const auto all = static_cast<double>(members.size());
      // A leaf leans to the overall share by one observation.
      tree[place].share = static_cast<float>((successes + overall) / (all + 1));
      if (depth == kDeepest || successes == 0 || successes == all || members.size() < 2) return place;
      double best = impurity(successes, all) - 1e-9;
      int feature = -1;
      float threshold = 0;
      for (size_t attempt = 0; attempt < tried; ++attempt) {
        const size_t f = random.below(features_.list.size());
        const std::vector<float>& values = features_.list[f].values;
        const float a = values[configurations[members[random.below(members.size())]]];
        const float b = values[configurations[members[random.below(members.size())]]];
        if (a == b) continue;
        const float middle = (a + b) / 2;
        double below = 0, good_below = 0;
        for (const size_t each : members) {
          if (values[configurations[each]] > middle) continue;
          below += 1;
          good_below += succeeded[each] ? 1 : 0;
        }
        const double left = impurity(good_below, below) + impurity(successes - good_below, all - below);
        if (left < best) {
          best = left;
          feature = static_cast<int>(f);
          threshold = middle;
        }
      }
      if (feature < 0) return place;
      std::vector<size_t> low, high;
      for (const size_t each : members)
        (features_.list[static_cast<size_t>(feature)].values[configurations[each]] > threshold ? high : low)
            .push_back(each);
      tree[place].feature = feature;
      tree[place].threshold = threshold;
      self(self, std::move(low), depth + 1);
      const uint32_t above = self(self, std::move(high), depth + 1);
      tree[place].above = above;
      return place;
    };
    grow(grow, std::move(drawn), 0);
    trees_.push_back(std::move(tree));
  }
}

double SuccessForest::probability(size_t configuration) const {
  if (trees_.empty()) return 1;
  double sum = 0;
  for (const Tree& tree : trees_) {
    uint32_t node = 0;
    while (tree[node].feature >= 0) {
      const float value = features_.list[static_cast<size_t>(tree[node].feature)].values[configuration];
      node = value > tree[node].threshold ? tree[node].above : node + 1;
    }
    sum += tree[node].share;
  }
  return sum / static_cast<double>(trees_.size());
}

}  // namespace assay::tune
