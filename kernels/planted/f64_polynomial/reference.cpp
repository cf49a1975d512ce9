// SPDX-License-Identifier: MIT
// the same polynomial
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) {
    const double value = x->data[i];
    double sum = 1;
    for (int k = 15; k >= 1; --k) sum = sum * (value / 16) + 1.0 / k;
    y->data[i] = sum;
  }
  return 0;
}
