// SPDX-License-Identifier: MIT
// y[i] = the sum of x from the beginning of its 1024 numbers to i
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  double sum = 0;
  for (int64_t i = 0; i < x->count; ++i) {
    sum = i % 1024 == 0 ? x->data[i] : sum + x->data[i];
    y->data[i] = sum;
  }
  return 0;
}
