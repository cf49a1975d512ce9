// SPDX-License-Identifier: MIT
// The five-point stencil.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->rank != 2 || x->count != y->count) return assay_fail(problem, "expected matrices x and y");
  const int64_t rows = x->shape[0];
  const int64_t columns = x->shape[1];
  const auto at = [&](int64_t row, int64_t column) {
    const bool inside = row >= 0 && row < rows && column >= 0 && column < columns;
    return inside ? x->data[row * columns + column] : 0.0;
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double around = at(row, column - 1) + at(row, column + 1) + at(row - 1, column) + at(row + 1, column);
      y->data[row * columns + column] = at(row, column) + 0.1 * (around - 4 * at(row, column));
    }
  }
  return 0;
}
