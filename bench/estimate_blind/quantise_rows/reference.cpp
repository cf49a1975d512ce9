// SPDX-License-Identifier: MIT
// scale = the largest magnitude of the row / 127; y = x / scale, rounded
#include <algorithm>
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  const AssayTensor* scale = assay_tensor(problem, "scale");
  if (!x || !y || !scale || x->rank != 2) return assay_fail(problem, "expected x, y and scale");
  const int64_t columns = x->shape[1];
  for (int64_t row = 0; row < x->shape[0]; ++row) {
    double largest = 1e-20;
    for (int64_t i = 0; i < columns; ++i) largest = std::max(largest, std::fabs(x->data[row * columns + i]));
    scale->data[row] = largest / 127;
    for (int64_t i = 0; i < columns; ++i)
      y->data[row * columns + i] = std::nearbyint(x->data[row * columns + i] * 127 / largest);
  }
  return 0;
}
