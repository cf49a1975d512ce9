// SPDX-License-Identifier: MIT
#include "stats/power.hpp"

#include <cmath>

#include "stats/distribution.hpp"

namespace assay::stats {

double minimum_detectable_effect(double standard_error, double degrees, double alpha, double power) {
  const double reach = student_quantile(1.0 - alpha / 2.0, degrees) + student_quantile(power, degrees);
  return std::expm1(reach * standard_error);
}

}  // namespace assay::stats
