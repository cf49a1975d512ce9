// SPDX-License-Identifier: MIT
// y = A x
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* a = assay_tensor(problem, "a");
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!a || !x || !y || a->count != x->count * y->count) return assay_fail(problem, "expected a, x and y that fit");
  for (int64_t row = 0; row < y->count; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < x->count; ++i) sum += a->data[row * x->count + i] * x->data[i];
    y->data[row] = sum;
  }
  return 0;
}
