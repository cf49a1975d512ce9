// SPDX-License-Identifier: MIT
// y[r] = the sum of a[r, i] b[i]
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* a = assay_tensor(problem, "a");
  const AssayTensor* b = assay_tensor(problem, "b");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!a || !b || !y || a->count != b->count * y->count) return assay_fail(problem, "expected a, b and y");
  for (int64_t row = 0; row < y->count; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < b->count; ++i) sum += a->data[row * b->count + i] * b->data[i];
    y->data[row] = sum;
  }
  return 0;
}
