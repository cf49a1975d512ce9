// SPDX-License-Identifier: MIT
#include "judge/process_spread.hpp"

#include <algorithm>
#include <cmath>

namespace assay::judge {
namespace {

constexpr double kSameLength = 1.5;  // lengths within this factor are one

// Variance = part^2 + constant^2 / us^2, by weighted least squares with neither below 0.
ProcessSpread solve(std::span<const SpreadPoint> points, const ProcessSpread& before) {
  double w = 0, x = 0, xx = 0, y = 0, xy = 0;
  for (const SpreadPoint& point : points) {
    const double variance = point.deviation * point.deviation;
    const double inverse = 1.0 / (point.microseconds * point.microseconds);
    // The variance of an estimated variance is in proportion to its square.
    const double expected = std::max(std::pow(before.of(point.microseconds), 2), 1e-16);
    const double weight = static_cast<double>(point.processes) / (expected * expected);
    w += weight, x += weight * inverse, xx += weight * inverse * inverse;
    y += weight * variance, xy += weight * inverse * variance;
  }
  const double determinant = w * xx - x * x;
  double part = determinant > 1e-12 * w * xx ? (y * xx - x * xy) / determinant : y / w;
  double constant = determinant > 1e-12 * w * xx ? (w * xy - x * y) / determinant : 0;
  if (part < 0) part = 0, constant = xy / xx;
  if (constant < 0) constant = 0, part = y / w;
  return {std::sqrt(std::max(part, 0.0)), std::sqrt(std::max(constant, 0.0))};
}

}  // namespace

double ProcessSpread::of(double microseconds) const {
  return std::hypot(part, constant_us / microseconds);
}

ProcessSpread fit_spread(std::span<const SpreadPoint> points) {
  if (points.empty()) return {};
  double most = 0;
  double shortest = points.front().microseconds;
  double longest = shortest;
  for (const SpreadPoint& point : points) {
    most = std::max(most, point.deviation);
    shortest = std::min(shortest, point.microseconds);
    longest = std::max(longest, point.microseconds);
  }
  ProcessSpread spread{most, 0};
  if (longest <= kSameLength * shortest) {
    double squares = 0, count = 0;
    for (const SpreadPoint& point : points) {
      squares += static_cast<double>(point.processes) * point.deviation * point.deviation;
      count += static_cast<double>(point.processes);
    }
    return {count > 0 ? std::sqrt(squares / count) : 0, 0};
  }
  for (int step = 0; step < 20; ++step) spread = solve(points, spread);
  return spread;
}

}  // namespace assay::judge
