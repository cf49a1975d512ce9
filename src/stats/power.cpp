// SPDX-License-Identifier: MIT
#include "stats/power.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "stats/distribution.hpp"

namespace assay::stats {

double minimum_detectable_effect(double standard_error, double degrees, double alpha, double power) {
  const double reach = student_quantile(1.0 - alpha / 2.0, degrees) + student_quantile(power, degrees);
  return std::expm1(reach * standard_error);
}

double planned_detectable_effect(double noise, size_t count_per_side, double alpha, double power) {
  if (count_per_side == 0) return std::numeric_limits<double>::infinity();
  // The median's variance is pi / 2 times the mean's; two sides double it.
  const double error = noise * std::sqrt(std::numbers::pi / static_cast<double>(count_per_side));
  return minimum_detectable_effect(error, std::numeric_limits<double>::infinity(), alpha, power);
}

}  // namespace assay::stats
