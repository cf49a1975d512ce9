// SPDX-License-Identifier: MIT
// y = x / sqrt(mean(x^2) + 1e-5) w for each row
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* w = assay_tensor(problem, "w");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !w || !y || x->rank != 2) return assay_fail(problem, "expected x, w and y");
  const int64_t columns = x->shape[1];
  for (int64_t row = 0; row < x->shape[0]; ++row) {
    const double* from = x->data + row * columns;
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += from[i] * from[i];
    const double scale = 1 / std::sqrt(sum / static_cast<double>(columns) + 1e-5);
    for (int64_t i = 0; i < columns; ++i) y->data[row * columns + i] = from[i] * scale * w->data[i];
  }
  return 0;
}
