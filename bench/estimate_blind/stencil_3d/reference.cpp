// SPDX-License-Identifier: MIT
// y = 0.4 x + 0.1 times the six neighbours, which are zero outside
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->rank != 3 || x->count != y->count)
    return assay_fail(problem, "expected x and y of three dimensions");
  const int64_t depth = x->shape[0];
  const int64_t height = x->shape[1];
  const int64_t width = x->shape[2];
  const auto at = [&](int64_t z, int64_t r, int64_t c) {
    if (z < 0 || r < 0 || c < 0 || z >= depth || r >= height || c >= width) return 0.0;
    return x->data[(z * height + r) * width + c];
  };
  for (int64_t z = 0; z < depth; ++z)
    for (int64_t r = 0; r < height; ++r)
      for (int64_t c = 0; c < width; ++c)
        y->data[(z * height + r) * width + c] =
            0.4 * at(z, r, c) + 0.1 * (at(z - 1, r, c) + at(z + 1, r, c) + at(z, r, c - 1) + at(z, r, c + 1) +
                                       at(z, r - 1, c) + at(z, r + 1, c));
  return 0;
}
