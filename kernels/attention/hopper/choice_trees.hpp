// SPDX-License-Identifier: MIT
// What the sum of a kernel's terms leaves over: small trees, each of which says by what factor the estimate is off.
// They are grown by choice_trees.py. Knows no CUDA.
#pragma once

#include <algorithm>
#include <array>

#include "hopper_attention.h"

namespace assay::attention::hopper {

constexpr int kTreeCount = 12;
constexpr int kTreeNodes = 15;  // four levels
constexpr int kFeatures = 13;

using Features = std::array<double, kFeatures>;

struct Tree {
  struct Split {
    int feature;
    double least;  // of the right side
  };
  std::array<Split, kTreeNodes> splits;  // of node n: 2n + 1 and 2n + 2 come next
  std::array<double, kTreeNodes + 1> factors;

  double factor(const Features& features) const {
    int node = 0;
    while (node < kTreeNodes) node = 2 * node + (features[splits[node].feature] < splits[node].least ? 1 : 2);
    return factors[node - kTreeNodes];
  }
};
struct Trees {
  double least;  // that they can come to: what is too long even so need not be looked at more closely
  std::array<Tree, kTreeCount> all;

  double factor(const Features& features) const {
    double product = 1;
    for (const Tree& tree : all) product *= tree.factor(features);
    return product;
  }
};

// As features() in choice_sweep.py: terms, then the call's sizes, then what a kernel adds.
template <size_t Terms, size_t More>
Features features_of(const std::array<double, Terms>& terms, const hopper_attention_call& call,
                     const std::array<double, More>& more) {
  static_assert(Terms + 5 + More == kFeatures);
  const std::array<double, 5> sizes = {
      static_cast<double>(call.query_rows), static_cast<double>(call.key_rows), static_cast<double>(call.head_dim),
      static_cast<double>(call.query_heads / call.key_heads), static_cast<double>(call.batch) * call.key_heads};
  Features features{};
  auto end = std::copy(terms.begin(), terms.end(), features.begin());
  end = std::copy(sizes.begin(), sizes.end(), end);
  std::copy(more.begin(), more.end(), end);
  return features;
}

}  // namespace assay::attention::hopper
