// SPDX-License-Identifier: MIT
// What a quantile of a bootstrap resample is, drawn without drawing the resample.
//
// A resample of n points is n independent uniform positions in the sorted sample, and its k-th smallest value stands at
// the k-th smallest position. That position is floor(n U) with U the k-th of n ordered uniforms, which follows
// Beta(k, n - k + 1); the next one follows from the smallest of the n - k uniforms that remain above U. So one resample
// costs a few random numbers instead of n and a selection, and its distribution is exactly the same.
#pragma once

#include <span>

#include "base/random.hpp"
#include "stats/quantile.hpp"

namespace assay::stats {

class ResampledQuantile {
 public:
  // `sorted` must outlive this.
  ResampledQuantile(std::span<const double> sorted, double p);

  double draw(Random& random) const;  // the quantile of one resample

 private:
  double value_at(double uniform) const;

  std::span<const double> sorted_;
  QuantilePosition position_;
};

}  // namespace assay::stats
