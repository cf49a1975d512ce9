// SPDX-License-Identifier: MIT
// c = a b for each pair of matrices of 16 x 16
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* a = assay_tensor(problem, "a");
  const AssayTensor* b = assay_tensor(problem, "b");
  const AssayTensor* c = assay_tensor(problem, "c");
  if (!a || !b || !c || c->rank != 3 || c->shape[1] != 16)
    return assay_fail(problem, "expected a, b and c (BATCH, 16, 16)");
  for (int64_t i = 0; i < c->count; ++i) {
    const int64_t matrix = i / 256 * 256;
    double sum = 0;
    for (int64_t k = 0; k < 16; ++k) sum += a->data[matrix + i % 256 / 16 * 16 + k] * b->data[matrix + k * 16 + i % 16];
    c->data[i] = sum;
  }
  return 0;
}
