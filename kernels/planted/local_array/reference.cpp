// SPDX-License-Identifier: MIT
// 64 steps on a table of 32 entries
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count) return assay_fail(problem, "expected x and y of equal size");
  for (int64_t i = 0; i < y->count; ++i) {
    double table[32];
    for (int k = 0; k < 32; ++k) table[k] = k;
    auto at = static_cast<uint32_t>(x->data[i]);
    double sum = 0;
    for (int step = 0; step < 64; ++step) {
      sum += table[at & 31];
      table[(at * 7) & 31] = sum * 0.001;
      at = at * 5 + 1;
    }
    y->data[i] = sum;
  }
  return 0;
}
