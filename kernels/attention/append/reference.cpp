// SPDX-License-Identifier: MIT
// New rows into a cache; what lies elsewhere stays.
#include <algorithm>
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const auto size = [&](const char* name) { return static_cast<int64_t>(assay_number(problem, name, 0)); };
  const AssayTensor* lengths = assay_tensor(problem, "key_lengths");
  const AssayTensor* table = assay_tensor(problem, "block_table");
  const int64_t rows = size("N"), row_size = size("H") * size("D"), page = size("page"), pages = size("pages");
  for (int64_t batch = 0; batch < size("B"); ++batch) {
    for (int64_t i = 0; i < rows; ++i) {
      const auto length = size("lengths") != 0 ? static_cast<int64_t>(lengths->data[batch]) : 0;
      const int64_t target = length + size("first") + i;
      if (target >= size("S")) continue;
      int64_t place = batch * size("S") + target;
      if (page > 0) {
        place = static_cast<int64_t>(table->data[batch * pages + target / page]) * page + target % page;
      }
      for (const auto& [from, to] : {std::pair{"new_key", "key"}, std::pair{"new_value", "value"}}) {
        const double* source = assay_tensor(problem, from)->data + (batch * rows + i) * row_size;
        std::copy_n(source, row_size, assay_tensor(problem, to)->data + place * row_size);
      }
    }
  }
  return 0;
}
