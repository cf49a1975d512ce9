// SPDX-License-Identifier: MIT
// Indices into the table of 16: others in every case, the same for the same seed.
#include <assay/reference.h>

int assay_input(AssayProblem* problem) {
  const AssayTensor* entry = assay_tensor(problem, "entry");
  uint64_t state = static_cast<uint64_t>(assay_number(problem, "seed", 0)) * 2 + 1;
  for (int64_t i = 0; i < entry->count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    entry->data[i] = static_cast<double>(state >> 60);
  }
  return 0;
}
