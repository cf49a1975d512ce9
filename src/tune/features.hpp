// SPDX-License-Identifier: MIT
// A space as numbers that a model can learn from. Beside the values themselves: the largest power of two that divides a
// value, products of parameters that belong together (block_size_x * block_size_y), ratios of those of which one always
// divides the other (MWG / MDIMC), and one number per word.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/space.hpp"

namespace assay::tune {

struct Feature {
  std::string name;
  bool derived = false;       // of several parameters: no dimension of its own
  std::vector<float> values;  // of each configuration, in [0, 1]
};

struct Features {
  std::vector<Feature> list;
};

Features describe(const Space& space);

// Adds a feature of any values, one per configuration; nothing if they are all the same.
void add_feature(Features& features, const std::string& name, const std::vector<double>& values);

// What fails mostly needs too much of something, and that grows with sizes: their product, and that of each two.
void add_size_products(Features& features, const Space& space);

}  // namespace assay::tune
