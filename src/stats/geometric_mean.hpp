// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <span>

namespace assay::stats {

// Of positive values, one at least.
inline double geometric_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace assay::stats
