// SPDX-License-Identifier: MIT
// How many values of each row lie in each of eight equal parts of [0, 1]; 1 itself belongs to the last part.
#include <algorithm>
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->rank != 2 || y->rank != 2) return assay_fail(problem, "expected the matrices x and y");
  const int64_t rows = x->shape[0], columns = x->shape[1], buckets = y->shape[1];
  std::fill(y->data, y->data + y->count, 0.0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      const double value = std::clamp(x->data[row * columns + column], 0.0, 1.0);
      const int64_t bucket = std::min<int64_t>(buckets - 1, static_cast<int64_t>(value * static_cast<double>(buckets)));
      y->data[row * buckets + bucket] += 1.0;
    }
  }
  return 0;
}
