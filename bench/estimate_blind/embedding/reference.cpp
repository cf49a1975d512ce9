// SPDX-License-Identifier: MIT
// y[i] = table[token[i]]
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* table = assay_tensor(problem, "table");
  const AssayTensor* token = assay_tensor(problem, "token");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!table || !token || !y || table->rank != 2) return assay_fail(problem, "expected table, token and y");
  const int64_t columns = table->shape[1];
  for (int64_t i = 0; i < y->count; ++i)
    y->data[i] = table->data[static_cast<int64_t>(token->data[i / columns]) * columns + i % columns];
  return 0;
}
