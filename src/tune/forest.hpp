// SPDX-License-Identifier: MIT
// A small seeded forest of random trees: the probability that a configuration builds and runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tune/features.hpp"

namespace assay::tune {

class SuccessForest {
 public:
  SuccessForest(const Features& features, uint64_t seed) : features_(features), seed_(seed) {}

  void learn(std::span<const size_t> configurations, const std::vector<bool>& succeeded);
  // 1 as long as nothing failed.
  double probability(size_t configuration) const;
  bool anything_failed() const { return !trees_.empty(); }

 private:
  struct Node {
    int feature = -1;  // a leaf if negative
    float threshold = 0;
    uint32_t above = 0;  // the node below it is the next one
    float share = 1;     // of a leaf
  };
  using Tree = std::vector<Node>;

  const Features& features_;
  uint64_t seed_;
  std::vector<Tree> trees_;
};

}  // namespace assay::tune
