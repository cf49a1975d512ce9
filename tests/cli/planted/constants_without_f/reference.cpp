// SPDX-License-Identifier: MIT
// A smooth step, eight times over.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) {
    double v = x->data[i];
    for (int round = 0; round < 8; ++round) v = v * v * (3 - 2 * v) * 0.5 + 0.1;
    y->data[i] = v;
  }
  return 0;
}
