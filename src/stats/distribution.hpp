// SPDX-License-Identifier: MIT
// The few distributions that the tests need. Probabilities outside (0, 1) give the ends of the distribution's range
// and degrees of freedom above a million count as infinite, so that no argument is an error.
#pragma once

namespace assay::stats {

double normal_below(double z);  // P(Z <= z)
double normal_above(double z);  // P(Z > z), exact in the far tail
double normal_quantile(double probability);

double student_below(double t, double degrees);  // P(T <= t); degrees > 0
double student_above(double t, double degrees);
double student_quantile(double probability, double degrees);

double chi_squared_above(double x, double degrees);
double beta_quantile(double probability, double a, double b);  // a, b > 0

}  // namespace assay::stats
