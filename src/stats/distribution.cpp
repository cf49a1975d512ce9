// SPDX-License-Identifier: MIT
#include "stats/distribution.hpp"

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/complement.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

namespace assay::stats {
namespace {

namespace math = boost::math;

// No errors as exceptions: arguments out of range are handled before the library sees them.
using Policy = math::policies::policy<math::policies::domain_error<math::policies::ignore_error>,
                                      math::policies::overflow_error<math::policies::ignore_error>,
                                      math::policies::pole_error<math::policies::ignore_error>,
                                      math::policies::evaluation_error<math::policies::ignore_error>,
                                      math::policies::promote_double<false>>;
using Normal = math::normal_distribution<double, Policy>;
using Student = math::students_t_distribution<double, Policy>;
using ChiSquared = math::chi_squared_distribution<double, Policy>;
using Beta = math::beta_distribution<double, Policy>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kManyDegrees = 1e6;

}  // namespace

double normal_below(double z) {
  return std::isinf(z) ? (z > 0 ? 1.0 : 0.0) : math::cdf(Normal(), z);
}

double normal_above(double z) {
  return normal_below(-z);
}

double normal_quantile(double probability) {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  return math::quantile(Normal(), probability);
}

double student_below(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 1.0 : 0.0;
  return degrees > kManyDegrees ? normal_below(t) : math::cdf(Student(degrees), t);
}

double student_above(double t, double degrees) {
  return student_below(-t, degrees);
}

double student_quantile(double probability, double degrees) {
  if (probability <= 0) return -kInfinity;
  if (probability >= 1) return kInfinity;
  return degrees > kManyDegrees ? normal_quantile(probability) : math::quantile(Student(degrees), probability);
}

double chi_squared_above(double x, double degrees) {
  if (x <= 0) return 1;
  return std::isinf(x) ? 0.0 : math::cdf(math::complement(ChiSquared(degrees), x));
}

double beta_quantile(double probability, double a, double b) {
  if (probability <= 0) return 0;
  if (probability >= 1) return 1;
  return math::quantile(Beta(a, b), probability);
}

}  // namespace assay::stats
