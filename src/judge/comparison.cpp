// SPDX-License-Identifier: MIT
#include "judge/comparison.hpp"

#include <cmath>
#include <fmt/format.h>

namespace assay::judge {
namespace {

std::string percent(double ratio) {
  if (!std::isfinite(ratio)) return "unbounded";
  const double difference = std::abs(ratio - 1.0) * 100.0;
  if (difference < 0.005) return "0.00 %";
  return fmt::format("{:.2f} % {}", difference, ratio > 1 ? "slower" : "faster");
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "FASTER";
    case Verdict::slower:
      return "SLOWER";
    case Verdict::same:
      return "SAME";
    case Verdict::inconclusive:
      return "INCONCLUSIVE";
    case Verdict::throttled:
      return "THROTTLED";
  }
  return "INCONCLUSIVE";
}

std::string describe_difference(double ratio, const stats::Interval& interval, double alpha) {
  return fmt::format("{} ({:g} % interval: {} to {})", percent(ratio), (1.0 - alpha) * 100.0, percent(interval.low),
                     percent(interval.high));
}

}  // namespace assay::judge
