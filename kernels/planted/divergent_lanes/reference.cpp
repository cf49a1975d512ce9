// SPDX-License-Identifier: MIT
// every fourth element iterated
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) {
    const double value = x->data[i];
    double v = 0.1 * value;
    for (int step = 0; step < 64 && i % 4 == 0; ++step) v = v - 0.25 * (v * v * v - 0.1 * value);
    y->data[i] = v;
  }
  return 0;
}
