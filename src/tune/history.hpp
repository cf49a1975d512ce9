// SPDX-License-Identifier: MIT
// What a strategy knows so far.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "tune/strategy.hpp"

namespace assay::tune {

struct Evaluated {
  size_t configuration = 0;
  std::optional<double> milliseconds;
};

class History {
 public:
  explicit History(size_t size) : known_(size, false) {}

  bool known(size_t configuration) const { return known_[configuration]; }  // proposed or measured
  void mark(size_t configuration) {
    if (!known_[configuration]) ++marked_;
    known_[configuration] = true;
  }
  void add(size_t configuration, const Outcome& outcome) {
    mark(configuration);
    all_.push_back({configuration, outcome.milliseconds});
    if (outcome.milliseconds && (!best_ || *outcome.milliseconds < *all_[*best_].milliseconds)) best_ = all_.size() - 1;
  }

  size_t left() const { return known_.size() - marked_; }
  const std::vector<Evaluated>& all() const { return all_; }
  const Evaluated* best() const { return best_ ? &all_[*best_] : nullptr; }
  // The `count` fastest, best first; the earlier one of two that are equally fast comes first.
  std::vector<Evaluated> fastest(size_t count) const {
    std::vector<Evaluated> good;
    for (const Evaluated& each : all_) {
      if (each.milliseconds) good.push_back(each);
    }
    std::stable_sort(good.begin(), good.end(),
                     [](const Evaluated& a, const Evaluated& b) { return *a.milliseconds < *b.milliseconds; });
    if (good.size() > count) good.resize(count);
    return good;
  }
  // Uniformly one of those that are not known; nothing if all are.
  std::optional<size_t> any_unknown(Random& random) const {
    if (left() == 0) return std::nullopt;
    for (int attempt = 0; attempt < 64; ++attempt) {
      const size_t pick = random.below(known_.size());
      if (!known_[pick]) return pick;
    }
    size_t nth = random.below(left());
    for (size_t each = 0; each < known_.size(); ++each) {
      if (!known_[each] && nth-- == 0) return each;
    }
    return std::nullopt;
  }

 private:
  std::vector<bool> known_;
  size_t marked_ = 0;
  std::vector<Evaluated> all_;
  std::optional<size_t> best_;
};

}  // namespace assay::tune
