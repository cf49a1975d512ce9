// SPDX-License-Identifier: MIT
#include "tune/recorded_space.hpp"

#include <algorithm>
#include <limits>

namespace assay::tune {

double RecordedSpace::best() const {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& each : milliseconds) {
    if (each) least = std::min(least, *each);
  }
  return least;
}

size_t RecordedSpace::good_count() const {
  return static_cast<size_t>(
      std::count_if(milliseconds.begin(), milliseconds.end(), [](const auto& each) { return each.has_value(); }));
}

size_t RecordedSpace::within(double factor) const {
  const double limit = best() * factor;
  return static_cast<size_t>(std::count_if(milliseconds.begin(), milliseconds.end(),
                                           [&](const auto& each) { return each && *each <= limit; }));
}

}  // namespace assay::tune
