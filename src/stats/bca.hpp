// SPDX-License-Identifier: MIT
// The BCa interval (bias-corrected and accelerated, Efron 1987) from resampled estimates and jackknife estimates.
#pragma once

#include <span>
#include <vector>

#include "stats/interval.hpp"

namespace assay::stats {

// z0: how far the resampled estimates lie to one side of the estimate. Those equal to it count half, as they must for
// statistics that take few values, such as the median. Finite even if all lie on one side.
double bias_correction(std::span<const double> resampled, double estimate);

// The jackknife estimates of one sample by value: the estimate without one point, and how many points give it.
struct JackknifeValue {
  double estimate = 0;
  double count = 0;
};
using Jackknife = std::vector<JackknifeValue>;

// a: how the estimate's variance changes with the estimate; over one jackknife per sample that the estimate uses.
double acceleration(std::span<const Jackknife> jackknives);

// `resampled` must be sorted and not empty.
Interval bca_interval(std::span<const double> resampled, double bias, double acceleration, double confidence);

}  // namespace assay::stats
