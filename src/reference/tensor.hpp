// SPDX-License-Identifier: MIT
// A dense float64 tensor: what references read and write, whatever the kernel's element types and strides. Large 64-bit
// integers are there as they are as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/numbers.hpp"

namespace assay::reference {

using Shape = std::vector<int64_t>;

struct Tensor {
  std::string name;
  Shape shape;
  std::vector<double> values;          // row-major, element_count(shape) of them
  std::vector<uint64_t> words{};       // numbers.hpp
  Integers integers = Integers::none;  // of what type the elements are

  void set(Numbers numbers) {
    values = std::move(numbers.values);
    words = std::move(numbers.words);
  }
  operator NumbersView() const { return {values, words}; }
  bool operator==(const Tensor&) const = default;
};

// The product of the dimensions; nothing if one is negative or the product does not fit. A scalar (rank 0) has 1.
std::optional<int64_t> element_count(const Shape& shape);

std::string to_string(const Shape& shape);  // "[2, 3, 64]"

}  // namespace assay::reference
