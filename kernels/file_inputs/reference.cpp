// SPDX-License-Identifier: MIT
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* gain = assay_tensor(problem, "gain");
  const AssayTensor* shift = assay_tensor(problem, "shift");
  const AssayTensor* table = assay_tensor(problem, "table");
  const AssayTensor* entry = assay_tensor(problem, "entry");
  const AssayTensor* y = assay_tensor(problem, "y");
  const int64_t columns = x->shape[1];
  for (int64_t i = 0; i < y->count; ++i) {
    const int64_t row = i / columns, column = i % columns;
    const double from_table = table->data[static_cast<int64_t>(entry->data[row])];
    y->data[i] = x->data[i] * gain->data[column] + shift->data[column] + from_table;
  }
  return 0;
}
