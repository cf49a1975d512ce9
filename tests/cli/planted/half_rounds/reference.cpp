// SPDX-License-Identifier: MIT
// y[i] = x[i], 128 times multiplied by 0.98 and increased by a hundredth
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < x->count; ++i) {
    y->data[i] = x->data[i];
    for (int round = 0; round < 128; ++round) y->data[i] = y->data[i] * 0.98 + 0.01;
  }
  return 0;
}
