// SPDX-License-Identifier: MIT
// 48 convolutions of x, which begins again after its end.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* w = assay_tensor(problem, "w");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !w || !y || y->count != 48 * x->count) return assay_fail(problem, "expected 48 rows like x");
  const int64_t taps = w->count / 48;
  for (int64_t k = 0; k < 48; ++k) {
    for (int64_t i = 0; i < x->count; ++i) {
      double sum = 0;
      for (int64_t t = 0; t < taps; ++t) sum += x->data[(i + t) % x->count] * w->data[t * 48 + k];
      y->data[k * x->count + i] = sum;
    }
  }
  return 0;
}
