// SPDX-License-Identifier: MIT
#include "stats/cliff_delta.hpp"

#include <algorithm>
#include <cmath>

#include "stats/mann_whitney.hpp"

namespace assay::stats {

double cliff_delta(const Sample& first, const Sample& second) {
  const double pairs = static_cast<double>(first.size()) * static_cast<double>(second.size());
  return std::clamp(2.0 * mann_whitney_u(first, second) / pairs - 1.0, -1.0, 1.0);
}

std::string_view magnitude(double delta) {
  const double size = std::abs(delta);
  if (size < 0.147) return "negligible";
  if (size < 0.33) return "small";
  return size < 0.474 ? "medium" : "large";
}

}  // namespace assay::stats
