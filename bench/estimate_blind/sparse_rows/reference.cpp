// SPDX-License-Identifier: MIT
// y[r] = the sum of value[r, i] x[column[r, i]] over the first length[r] entries
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* value = assay_tensor(problem, "value");
  const AssayTensor* column = assay_tensor(problem, "column");
  const AssayTensor* length = assay_tensor(problem, "length");
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!value || !column || !length || !x || !y) return assay_fail(problem, "expected value, column, length, x and y");
  const int64_t width = value->shape[1];
  for (int64_t row = 0; row < y->count; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < static_cast<int64_t>(length->data[row]); ++i)
      sum += value->data[row * width + i] * x->data[static_cast<int64_t>(column->data[row * width + i])];
    y->data[row] = sum;
  }
  return 0;
}
