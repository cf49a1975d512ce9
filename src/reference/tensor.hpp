// SPDX-License-Identifier: MIT
// A dense float64 tensor: what references read and write, whatever the kernel's element types and strides.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace assay::reference {

using Shape = std::vector<int64_t>;

struct Tensor {
  std::string name;
  Shape shape;
  std::vector<double> values;  // row-major, element_count(shape) of them

  bool operator==(const Tensor&) const = default;
};

// The product of the dimensions; nothing if one is negative or the product does not fit. A scalar (rank 0) has 1.
std::optional<int64_t> element_count(const Shape& shape);

std::string to_string(const Shape& shape);  // "[2, 3, 64]"

}  // namespace assay::reference
