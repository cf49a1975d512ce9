// SPDX-License-Identifier: MIT
// y = the transpose of x
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->rank != 2 || x->count != y->count) return assay_fail(problem, "expected matrices x and y");
  const int64_t rows = x->shape[0];
  const int64_t columns = x->shape[1];
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) y->data[column * rows + row] = x->data[row * columns + column];
  }
  return 0;
}
