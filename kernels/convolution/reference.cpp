// SPDX-License-Identifier: MIT
// y = x convolved with the filters, position by position.
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");              // (images, height, width, channels)
  const AssayTensor* filters = assay_tensor(problem, "filters");  // (filters, rows, columns, channels)
  const AssayTensor* y = assay_tensor(problem, "y");              // (images, out_height, out_width, filters)
  if (!x || !filters || !y || x->rank != 4 || filters->rank != 4 || y->rank != 4)
    return assay_fail(problem, "expected x, filters and y of four dimensions");
  const int64_t channels = x->shape[3];
  if (filters->shape[3] != channels || y->shape[3] != filters->shape[0] || y->shape[0] != x->shape[0])
    return assay_fail(problem, "expected the same images, channels and filters everywhere");
  const int64_t padding = assay_integer(problem, "padding", 0);
  const int64_t stride = assay_integer(problem, "stride", 1);
  const int64_t dilation = assay_integer(problem, "dilation", 1);
  for (int64_t at = 0; at < y->count; ++at) {
    const int64_t filter = at % y->shape[3];
    const int64_t out_column = at / y->shape[3] % y->shape[2];
    const int64_t out_row = at / y->shape[3] / y->shape[2] % y->shape[1];
    const int64_t image = at / y->shape[3] / y->shape[2] / y->shape[1];
    double sum = 0;
    for (int64_t r = 0; r < filters->shape[1]; ++r) {
      for (int64_t s = 0; s < filters->shape[2]; ++s) {
        const int64_t row = out_row * stride - padding + r * dilation;
        const int64_t column = out_column * stride - padding + s * dilation;
        if (row < 0 || row >= x->shape[1] || column < 0 || column >= x->shape[2]) continue;
        const double* pixel = x->data + ((image * x->shape[1] + row) * x->shape[2] + column) * channels;
        const double* tap = filters->data + ((filter * filters->shape[1] + r) * filters->shape[2] + s) * channels;
        for (int64_t c = 0; c < channels; ++c) sum += pixel[c] * tap[c];
      }
    }
    y->data[at] = sum;
  }
  return 0;
}
