// SPDX-License-Identifier: MIT
// 512 steps of v = 0.999 v + 0.001
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) {
    const double value = x->data[i];
    double v = value;
    for (int step = 0; step < 512; ++step) v = 0.999 * v + 0.001;
    y->data[i] = v;
  }
  return 0;
}
