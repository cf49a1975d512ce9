// SPDX-License-Identifier: MIT
// The trimmed mean and its standard error (Tukey and McLaughlin): as good as the mean on clean data, and deaf to the
// odd value out.
#pragma once

#include <cstddef>
#include <span>

namespace assay::stats {

struct TrimmedMean {
  double mean = 0;
  double standard_error = 0;  // from the winsorised deviation; 0 for one value
  double degrees = 0;         // of freedom of Student's t for mean / standard_error
};

// Drops floor(trim * n) values at each end; 0 <= trim < 0.5, at least one value.
TrimmedMean trimmed_mean(std::span<const double> values, double trim);

// The mean of the middle half: without the ceil(n / 4) lowest and highest values (1 or 2 values are averaged). Nearly
// as deaf to outliers as the median, less noisy, and it does not stick to the ticks of a coarse timer. At least one
// value.
double midmean(std::span<const double> values);
// The values that it averages, of sorted ones.
std::span<const double> middle_half(std::span<const double> sorted);

}  // namespace assay::stats
