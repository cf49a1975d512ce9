// SPDX-License-Identifier: MIT
// The map of two tunables: each cell is the best of the configurations that have both values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/landscape.hpp"

namespace assay::page {

// The values of a tunable side by side; neighbours share a place where there are too many.
struct MapAxis {
  std::string name;
  std::vector<std::string> labels;
  std::vector<size_t> place;  // of each value
};

struct MapCell {
  size_t tried = 0;
  size_t failed = 0;
  std::optional<size_t> best;  // the row of the best; empty: none has a result
  size_t first = 0;            // the first row of all
  std::string failure;         // of the most that failed
  bool tied = false;           // one of the tie group is in it
};

struct TuningMap {
  MapAxis across;
  MapAxis down;                // one place without a name where only one tunable varies
  std::vector<MapCell> cells;  // from left to right, from top to bottom
  double worst_ratio = 1;      // of the cells' best

  const MapCell& at(size_t column, size_t row) const { return cells[row * across.labels.size() + column]; }
};
TuningMap map_of(const TunedCase& tuned, const Landscape& landscape, const MapChoice& choice);

// 1: the best; 0: the worst of the map, or four times the best.
double nearness(double ratio, double worst_ratio);

std::string draw_map(const TuningMap& map, const Landscape& landscape, double width);

}  // namespace assay::page
