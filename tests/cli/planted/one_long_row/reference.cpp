// SPDX-License-Identifier: MIT
// Half of the value and one, again and again: 64 times, or 256 times as often in the last row.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected as many numbers in x as in y");
  for (int64_t row = 0; row < y->count; ++row) {
    const int64_t steps = row + 1 < y->count ? 64 : 64 * 256;
    double value = x->data[row];
    for (int64_t step = 0; step < steps; ++step) value = value * 0.5 + 1.0;
    y->data[row] = value;
  }
  return 0;
}
