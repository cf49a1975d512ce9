// SPDX-License-Identifier: MIT
// The Matern covariance of order 5/2, which Gaussian processes here share.
#pragma once

#include <cmath>

namespace assay::tune {

inline constexpr double kRootFive = 2.23606797749979;

inline double matern(double squared_distance) {
  const double r = std::sqrt(squared_distance);
  return (1 + kRootFive * r + 5.0 / 3 * squared_distance) * std::exp(-kRootFive * r);
}

}  // namespace assay::tune
