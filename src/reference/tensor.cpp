// SPDX-License-Identifier: MIT
#include "reference/tensor.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace assay::reference {

std::optional<int64_t> element_count(const Shape& shape) {
  if (std::any_of(shape.begin(), shape.end(), [](int64_t extent) { return extent < 0; })) return std::nullopt;
  // A zero anywhere makes the tensor empty, even if the other dimensions alone would overflow.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  int64_t count = 1;
  for (const int64_t extent : shape) {
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::string to_string(const Shape& shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace assay::reference
