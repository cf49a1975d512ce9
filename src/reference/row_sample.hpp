// SPDX-License-Identifier: MIT
// Some rows of a large output: what a reference computes where all of it would take too long.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::reference {

// Which rows are wanted. A reference that samples (Reference::samples) leaves NaN, which says nothing, in the others.
struct RowSample {
  double share = 1;   // of the rows of each matrix of the output; at least one is taken
  uint64_t seed = 0;  // chooses them

  bool complete() const { return share >= 1; }
  // The rows of one matrix, in ascending order.
  std::vector<int64_t> of_matrix(int64_t matrix, int64_t rows) const;
};

}  // namespace assay::reference
