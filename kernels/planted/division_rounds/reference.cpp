// SPDX-License-Identifier: MIT
// y = the mean of x at 32 places
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  const int64_t n = y->count;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t blocks = (n + 255) / 256;
    double sum = 0;
    for (int64_t k = 0; k < 32; ++k) sum += x->data[(i * 257 + k * 31) / blocks % n];
    y->data[i] = sum / 32;
  }
  return 0;
}
