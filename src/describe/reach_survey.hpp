// SPDX-License-Identifier: MIT
// The runs behind find_geometry: how the reach into each tensor depends on the grid, for several choices of the sizes.
#pragma once

#include "describe/geometry.hpp"

namespace assay::describe {

// How the reach into all tensors depends on the blocks along one axis, at the first choice of the sizes.
struct AxisSurvey {
  bool free = false;     // some tensor's reach grows with every block
  bool bounded = false;  // some tensor's reach grows with the first ones only
  int64_t enough = 2;    // blocks after which nothing but the free growth changes
};

// Which size bounds an axis.
struct Bound {
  size_t size = 0;
  int64_t total = 0;             // the size's value
  int64_t blocks = 0;            // that cover it
  std::vector<int64_t> strides;  // of each tensor: growth of its reach by the second block
};

struct ReachSurvey {
  std::vector<Sizes> choices;
  std::vector<std::array<int64_t, 3>> grids;  // beside the choices
  std::vector<Reach> reach;                   // likewise, with these grids
  std::array<std::vector<Reach>, 3> growth;   // likewise: by one block more along the axis
  std::array<AxisSurvey, 3> axes;
  std::array<std::vector<Bound>, 3> bounds;
  std::vector<bool> regular;  // of each tensor: its reach grows evenly with the blocks
};

// With sizes that are multiples of `scale`. Nothing if the kernel cannot run so.
Result<std::optional<ReachSurvey>> survey_reach(const Question& question, const Probe& probe, int64_t scale);

// Sizes that the survey did not use; `number` from 0.
Sizes fresh_sizes(const Question& question, int64_t scale, size_t number);

}  // namespace assay::describe
