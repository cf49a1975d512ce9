// SPDX-License-Identifier: MIT
// Counters of each configuration of a space under whatever names they came with.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace assay::tune {

struct CounterTable {
  std::vector<std::string> names;
  std::vector<double> values;  // one row per configuration; NaN: not known

  bool empty() const { return names.empty() || values.empty(); }
  size_t rows() const { return names.empty() ? 0 : values.size() / names.size(); }
  double at(size_t row, size_t column) const { return values[row * names.size() + column]; }
};

inline constexpr double kNotCounted = std::numeric_limits<double>::quiet_NaN();

}  // namespace assay::tune
