// SPDX-License-Identifier: MIT
// A space that is small enough to know by heart: BLOCK 32..256 in steps of 32, ITEMS 1..4, LAYOUT of two words.
#pragma once

#include <cmath>

#include "tune/space.hpp"

namespace assay::tune {

inline Space small_space() {
  Parameter block{"BLOCK", {}}, items{"ITEMS", {}}, layout{"LAYOUT", {word_value("rows"), word_value("columns")}};
  for (int value = 32; value <= 256; value += 32) block.values.push_back(number_value(value));
  for (int value = 1; value <= 4; ++value) items.values.push_back(number_value(value));
  std::vector<uint16_t> rows;
  for (uint16_t b = 0; b < 8; ++b) {
    for (uint16_t i = 0; i < 4; ++i) {
      for (uint16_t l = 0; l < 2; ++l) rows.insert(rows.end(), {b, i, l});
    }
  }
  return std::move(Space::make({block, items, layout}, rows)).value();
}

// Best at BLOCK=128, ITEMS=3, LAYOUT=columns: 1 ms.
inline double small_time(const Space& space, size_t configuration) {
  const double block = *space.value(configuration, 0).number;
  const double items = *space.value(configuration, 1).number;
  return 1 + 0.5 * std::fabs(std::log2(block / 128)) + 0.2 * std::fabs(items - 3) +
         (space.value(configuration, 2).text == "columns" ? 0 : 0.15);
}

}  // namespace assay::tune
