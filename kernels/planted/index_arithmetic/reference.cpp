// SPDX-License-Identifier: MIT
// The digits of the index in base 7 and 13, exchanged.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  const int64_t whole = x->count / 91 * 91;
  for (int64_t i = 0; i < y->count; ++i) {
    const int64_t j = (i / 91 * 13 + i % 13) * 7 + i / 13 % 7;
    y->data[i] = x->data[i < whole ? j : i];
  }
  return 0;
}
