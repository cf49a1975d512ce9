// SPDX-License-Identifier: MIT
// y = the correlation of x with a filter of 5 x 5, zero outside
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* filter = assay_tensor(problem, "filter");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !filter || !y || x->rank != 2 || filter->count != 25)
    return assay_fail(problem, "expected x, filter and y");
  const int64_t height = x->shape[0];
  const int64_t width = x->shape[1];
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t column = 0; column < width; ++column) {
      double sum = 0;
      for (int64_t i = 0; i < 25; ++i) {
        const int64_t r = row + i / 5 - 2;
        const int64_t c = column + i % 5 - 2;
        if (r >= 0 && r < height && c >= 0 && c < width) sum += x->data[r * width + c] * filter->data[i];
      }
      y->data[row * width + column] = sum;
    }
  }
  return 0;
}
