// SPDX-License-Identifier: MIT
#include "stats/order_statistic.hpp"

#include <algorithm>
#include <cmath>

namespace assay::stats {
namespace {

// Gamma with shape >= 1 and scale 1, by Marsaglia and Tsang's squeeze-free rejection (accepts more than 95 %).
double draw_gamma(double shape, Random& random) {
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random.normal();
    const double root = 1.0 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = 1.0 - random.uniform();  // (0, 1]
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace

ResampledQuantile::ResampledQuantile(std::span<const double> sorted, double p)
    : sorted_(sorted), position_(quantile_position(sorted.size(), p)) {}

double ResampledQuantile::value_at(double uniform) const {
  const auto index = static_cast<size_t>(uniform * static_cast<double>(sorted_.size()));
  return sorted_[std::min(index, sorted_.size() - 1)];
}

double ResampledQuantile::draw(Random& random) const {
  const auto above = static_cast<double>(sorted_.size() - position_.below - 1);  // how many of the n stand higher
  const double left = draw_gamma(static_cast<double>(position_.below + 1), random);
  const double lower = left / (left + draw_gamma(above + 1, random));
  const double below = value_at(lower);
  if (position_.weight == 0) return below;
  const double smallest_above = 1.0 - std::pow(1.0 - random.uniform(), 1.0 / above);
  const double next = value_at(lower + (1.0 - lower) * smallest_above);
  return below + position_.weight * (next - below);
}

}  // namespace assay::stats
