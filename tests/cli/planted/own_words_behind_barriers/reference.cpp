// SPDX-License-Identifier: MIT
// y[i] = x[i], 32 times multiplied by 0.99 and increased by 0.01
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < x->count; ++i) {
    y->data[i] = x->data[i];
    for (int round = 0; round < 32; ++round) y->data[i] = y->data[i] * 0.99 + 0.01;
  }
  return 0;
}
