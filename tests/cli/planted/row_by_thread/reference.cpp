// SPDX-License-Identifier: MIT
// y[r] = the sum of x[r, i]
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || y->count == 0) return assay_fail(problem, "expected x and y");
  const int64_t columns = x->count / y->count;
  for (int64_t row = 0; row < y->count; ++row) {
    y->data[row] = 0;
    for (int64_t i = 0; i < columns; ++i) y->data[row] += x->data[row * columns + i];
  }
  return 0;
}
