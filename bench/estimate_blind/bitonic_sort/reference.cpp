// SPDX-License-Identifier: MIT
// Each segment of 1024 elements in ascending order
#include <algorithm>
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count || x->count % 1024 != 0) return assay_fail(problem, "expected whole segments");
  std::copy(x->data, x->data + x->count, y->data);
  for (int64_t i = 0; i < y->count; i += 1024) std::sort(y->data + i, y->data + i + 1024);
  return 0;
}
