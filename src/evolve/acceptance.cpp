// SPDX-License-Identifier: MIT
#include "evolve/acceptance.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace assay::evolve {
namespace {

bool gains(const AcceptanceRule& rule, const RaceShape& shape) {
  const bool enough = shape.ratio <= 1 / (1 + rule.gain) + 1e-12;
  return enough && (shape.verdict.empty() || shape.verdict == "FASTER");
}

// Measured: only what the judge calls slower, and by more than the margin. A noisy shape does not stop a candidate.
bool loses(const AcceptanceRule& rule, const RaceShape& shape) {
  const bool worse = shape.ratio > 1 + rule.margin;
  return worse && (shape.verdict.empty() || shape.verdict == "SLOWER");
}

std::string percent(double ratio) {
  return ratio <= 1 ? fmt::format("{:.1f} % faster", 100 * (1 / ratio - 1))
                    : fmt::format("{:.1f} % slower", 100 * (ratio - 1));
}

}  // namespace

double geometric_mean_ratio(const std::vector<RaceShape>& shapes) {
  double sum = 0;
  size_t count = 0;
  for (const RaceShape& each : shapes) {
    if (each.drawn) continue;
    sum += std::log(each.ratio);
    ++count;
  }
  return count == 0 ? 1 : std::exp(sum / static_cast<double>(count));
}

Acceptance judge_race(const AcceptanceRule& rule, const std::vector<RaceShape>& shapes) {
  for (const RaceShape& each : shapes) {
    if (loses(rule, each))
      return {false, fmt::format("{} on {}{}: more than the margin of {:.1f} %", percent(each.ratio), each.shape,
                                 each.drawn ? ", drawn after the proposal" : "", 100 * rule.margin)};
  }
  const auto specified = static_cast<size_t>(std::ranges::count(shapes, false, &RaceShape::drawn));
  const bool few = specified < rule.gaining_shapes;
  const size_t wanted = few ? std::min(rule.gaining_shapes, shapes.size()) : rule.gaining_shapes;
  size_t gaining = 0;
  for (const RaceShape& each : shapes) gaining += (few || !each.drawn) && gains(rule, each) ? 1 : 0;
  if (gaining < wanted) {
    return {false, fmt::format("{} in all; {:.1f} % or more on {} of the {} shapes that are needed",
                               percent(geometric_mean_ratio(shapes)), 100 * rule.gain, gaining, wanted)};
  }
  // The gain must be there on shapes that nobody could prepare for: a third of it at least.
  const double known = -std::log(geometric_mean_ratio(shapes));
  for (const RaceShape& each : shapes) {
    if (each.drawn && -std::log(each.ratio) < known / 3)
      return {false, fmt::format("{} on the specification's shapes but {} on {}, drawn after the proposal: a fast path "
                                 "for the known shapes alone",
                                 percent(geometric_mean_ratio(shapes)), percent(each.ratio), each.shape)};
  }
  return {true, fmt::format("{} over {} shape{} of the specification", percent(geometric_mean_ratio(shapes)), specified,
                            specified == 1 ? "" : "s")};
}

}  // namespace assay::evolve
