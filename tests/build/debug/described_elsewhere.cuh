// SPDX-License-Identifier: MIT
// What a source of its own includes.
#pragma once
namespace shapes {
struct Extent {
  long long rows;
  int columns;
};
struct Problem {
  Extent extent;
  const double* weights;
  float* out;
};
}  // namespace shapes
