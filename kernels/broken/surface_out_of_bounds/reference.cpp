// SPDX-License-Identifier: MIT
// y = x transposed.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  const int64_t rows = x->shape[0], columns = x->shape[1];
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) y->data[column * rows + row] = x->data[row * columns + column];
  }
  return 0;
}
