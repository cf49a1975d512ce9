// SPDX-License-Identifier: MIT
// y[i] = x[i + 1] - x[i]; the last element is not defined.
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) y->data[i] = i + 1 < x->count ? x->data[i + 1] - x->data[i] : NAN;
  return 0;
}
