// SPDX-License-Identifier: MIT
// Lengths of sequences: each from 0 to the most, often just these two, others in every case, the same for the same
// seed.
#include <assay/reference.h>

namespace {

class Draw {
 public:
  explicit Draw(double seed) : state_(static_cast<uint64_t>(seed) * 2 + 1) {
    for (int i = 0; i < 8; ++i) next();
  }
  int64_t length(int64_t most) {
    const uint64_t kind = next() % 8;
    if (kind == 0) return 0;
    if (kind == 1) return most;
    return static_cast<int64_t>(next() % static_cast<uint64_t>(most + 1));
  }

 private:
  uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  uint64_t state_;
};

// Sums of the lengths before, and of all.
void fill_starts(const AssayTensor& starts, Draw& draw, int64_t most) {
  starts.data[0] = 0;
  for (int64_t i = 1; i < starts.count; ++i) {
    starts.data[i] = starts.data[i - 1] + static_cast<double>(draw.length(most));
  }
}

}  // namespace

int assay_input(AssayProblem* problem) {
  Draw draw(assay_number(problem, "seed", 0));
  const auto queries = static_cast<int64_t>(assay_number(problem, "M", 0));
  const auto keys = static_cast<int64_t>(assay_number(problem, "S", 0));
  if (const AssayTensor* starts = assay_tensor(problem, "query_starts")) fill_starts(*starts, draw, queries);
  if (const AssayTensor* starts = assay_tensor(problem, "key_starts")) fill_starts(*starts, draw, keys);
  if (const AssayTensor* lengths = assay_tensor(problem, "key_lengths")) {
    const int64_t added = keys < 3 ? keys : 3;  // which the kernel adds
    for (int64_t i = 0; i < lengths->count; ++i) lengths->data[i] = static_cast<double>(draw.length(keys - added));
  }
  return 0;
}
