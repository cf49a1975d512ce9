// SPDX-License-Identifier: MIT
// The sum of the six lowest digits in base 7.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected as many numbers in x as in y");
  for (int64_t i = 0; i < y->count; ++i) {
    int64_t left = (int64_t)x->data[i];
    int64_t sum = 0;
    for (int digit = 0; digit < 6; ++digit, left /= 7) sum += left % 7;
    y->data[i] = (double)sum;
  }
  return 0;
}
