// SPDX-License-Identifier: MIT
// y = x transposed
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->rank != 2 || x->count != y->count) return assay_fail(problem, "expected x and y");
  const int64_t rows = x->shape[0];
  const int64_t columns = x->shape[1];
  for (int64_t i = 0; i < x->count; ++i) y->data[i % columns * rows + i / columns] = x->data[i];
  return 0;
}
