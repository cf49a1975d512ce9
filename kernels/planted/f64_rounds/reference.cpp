// SPDX-License-Identifier: MIT
// y = the sum over j of 64 steps of v = v x / 2 + j / 4
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  const int64_t n = y->count;
  for (int64_t i = 0; i < n; ++i) {
    const double half = x->data[i] * 0.5;
    double sum = 0;
    for (int j = 0; j < 4; ++j) {
      double v = 0;
      for (int k = 0; k < 64; ++k) v = v * half + j * 0.25;
      sum += v;
    }
    y->data[i] = sum;
  }
  return 0;
}
