// SPDX-License-Identifier: MIT
// What a call costs by the kernel of this folder, as ../hopper/choice_sweep.py fits it. Knows no CUDA.
#pragma once

#include <array>

#include "plan.hpp"

namespace assay::attention::split_keys {

constexpr int kCostTerms = 8;

struct Costs {
  int slabs;
  int least_head_dim;
  int most_head_dim;
  std::array<double, kCostTerms> us;

  // As split_keys_terms() in choice_sweep.py: keys and tiles are shared out to all multiprocessors.
  std::array<double, kCostTerms> terms(const Shape& shape, int multiprocessors) const {
    const double row_tile_count = row_tiles(shape, slabs);
    const double heads = static_cast<double>(shape.batch) * shape.key_heads;
    const double clusters = heads * row_tile_count;
    const double rounds = static_cast<double>(ceil_div(static_cast<int64_t>(clusters), multiprocessors));
    const double keys = shape.key_rows * clusters / multiprocessors / 128;
    const double bytes = 4.0 * shape.head_dim * shape.key_rows * heads / 4.2e6;
    return {1.0,
            keys,
            clusters > multiprocessors ? rounds * ceil_div(shape.key_rows, 128) : keys,
            bytes,
            bytes * row_tile_count,
            std::max(1.0, clusters / multiprocessors),
            keys * shape.head_dim / 128,
            clusters / multiprocessors};
  }

  double estimate(const Shape& shape, int multiprocessors) const {
    const std::array<double, kCostTerms> values = terms(shape, multiprocessors);
    double sum = 0;
    for (int i = 0; i < kCostTerms; ++i) sum += values[i] * us[i];
    return sum;
  }
};

}  // namespace assay::attention::split_keys
