// SPDX-License-Identifier: MIT
// loss = log(sum(exp(x))) - x[target] for each row
#include <algorithm>
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* target = assay_tensor(problem, "target");
  const AssayTensor* loss = assay_tensor(problem, "loss");
  if (!x || !target || !loss || x->rank != 2) return assay_fail(problem, "expected x, target and loss");
  const int64_t columns = x->shape[1];
  for (int64_t row = 0; row < x->shape[0]; ++row) {
    const double* from = x->data + row * columns;
    const double largest = *std::max_element(from, from + columns);
    double sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += std::exp(from[i] - largest);
    loss->data[row] = std::log(sum) + largest - from[static_cast<int64_t>(target->data[row])];
  }
  return 0;
}
