// SPDX-License-Identifier: MIT
// y = 64 times the sum of the elements of the block of 256 with the same remainder by 8
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t block = 0; block < y->count; block += 256) {
    double sums[8] = {};
    const int64_t end = block + 256 < y->count ? block + 256 : y->count;
    for (int64_t i = block; i < end; ++i) sums[i % 8] += 64 * std::trunc(x->data[i]);
    for (int64_t i = block; i < end; ++i) y->data[i] = sums[i % 8];
  }
  return 0;
}
