// SPDX-License-Identifier: MIT
// Each pair (i, i + 64) of a head of 128, turned by the angle of its token
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* cosine = assay_tensor(problem, "cosine");
  const AssayTensor* sine = assay_tensor(problem, "sine");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !cosine || !sine || !y || x->rank != 3 || x->shape[2] != 128)
    return assay_fail(problem, "expected heads of 128");
  const int64_t heads = x->shape[1];
  for (int64_t row = 0; row < x->count / 128; ++row) {
    const int64_t token = row / heads;
    for (int64_t i = 0; i < 64; ++i) {
      const double a = x->data[row * 128 + i];
      const double b = x->data[row * 128 + i + 64];
      const double c = cosine->data[token * 64 + i];
      const double s = sine->data[token * 64 + i];
      y->data[row * 128 + i] = a * c - b * s;
      y->data[row * 128 + i + 64] = b * c + a * s;
    }
  }
  return 0;
}
