// SPDX-License-Identifier: MIT
// Whether a candidate takes the incumbent's place: faster by the gain on enough of the specification's shapes, worse
// than the margin on none, and no fast path for the known shapes alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace assay::evolve {

// One shape of a race. Ratios are candidate / incumbent: below 1 the candidate is faster.
struct RaceShape {
  std::string shape;
  bool drawn = false;  // after the proposal; else one of the specification
  double time_us = 0;
  double incumbent_us = 0;
  double ratio = 1;
  std::optional<double> low;  // of the interval, where times were measured
  std::optional<double> high;
  std::string verdict;  // of the judge: "FASTER", ...; empty: estimated
};

struct AcceptanceRule {
  double gain = 0.03;
  size_t gaining_shapes = 2;  // where the specification has fewer shapes, drawn ones count as well
  double margin = 0.01;
};

struct Acceptance {
  bool accepted = false;
  std::string text;  // why, or why not
};

Acceptance judge_race(const AcceptanceRule& rule, const std::vector<RaceShape>& shapes);

double geometric_mean_ratio(const std::vector<RaceShape>& shapes);  // of the specification's shapes

}  // namespace assay::evolve
