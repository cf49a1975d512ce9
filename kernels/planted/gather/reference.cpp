// SPDX-License-Identifier: MIT
// y[i] = x[index[i]]
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* index = assay_tensor(problem, "index");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !index || !y || index->count != y->count) return assay_fail(problem, "expected x, index and y");
  for (int64_t i = 0; i < y->count; ++i) {
    const auto from = static_cast<int64_t>(index->data[i]);
    if (from < 0 || from >= x->count) return assay_fail(problem, "an index is out of range");
    y->data[i] = x->data[from];
  }
  return 0;
}
