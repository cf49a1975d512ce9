// SPDX-License-Identifier: MIT
// Of each 32 elements of x, the products with the 32 rows of w.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* w = assay_tensor(problem, "w");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !w || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) {
    const int64_t first = i / 32 * 32;
    double sum = 0;
    for (int64_t lane = 0; lane < 32 && first + lane < x->count; ++lane)
      sum += x->data[first + lane] * w->data[i % 32 * 32 + lane];
    y->data[i] = sum;
  }
  return 0;
}
