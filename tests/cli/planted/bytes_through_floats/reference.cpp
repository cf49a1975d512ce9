// SPDX-License-Identifier: MIT
// y = x, eight times multiplied by 0.99, plus a quarter, and cut to an integer
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < x->count; ++i) {
    double value = x->data[i];
    for (int round = 0; round < 8; ++round) value = std::floor(value * 0.99 + 0.25);
    y->data[i] = value;
  }
  return 0;
}
