// SPDX-License-Identifier: MIT
// y = 2 x where the highest bit of its word of Philox 4x32-10 is set, else 0
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* x = assay_tensor(problem, "x");
  const AssayTensor* y = assay_tensor(problem, "y");
  if (!x || !y || x->count != y->count || x->count % 4 != 0) return assay_fail(problem, "expected a multiple of four");
  const auto seed = static_cast<uint32_t>(assay_number(problem, "seed_word", 0));
  for (int64_t group = 0; group < x->count / 4; ++group) {
    uint32_t c[4] = {static_cast<uint32_t>(group), 0, 0, 0};
    uint32_t k[2] = {seed, 0};
    for (int round = 0; round < 10; ++round) {
      const uint64_t a = uint64_t{0xD2511F53u} * c[0];
      const uint64_t b = uint64_t{0xCD9E8D57u} * c[2];
      const uint32_t next[4] = {static_cast<uint32_t>(b >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(b),
                                static_cast<uint32_t>(a >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(a)};
      for (int i = 0; i < 4; ++i) c[i] = next[i];
      k[0] += 0x9E3779B9u;
      k[1] += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; ++i) y->data[4 * group + i] = c[i] >> 31 ? 2 * x->data[4 * group + i] : 0;
  }
  return 0;
}
