// SPDX-License-Identifier: MIT
// y_i = the sum over j of |x_i - w_j|
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* w = assay_tensor(problem, "w");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !w || !y || x->count != y->count) return assay_fail(problem, "expected x, w and y");
  for (int64_t i = 0; i < y->count; ++i) {
    y->data[i] = 0;
    for (int64_t j = 0; j < w->count; ++j) y->data[i] += std::fabs(x->data[i] - w->data[j]);
  }
  return 0;
}
