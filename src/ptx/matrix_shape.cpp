// SPDX-License-Identifier: MIT
#include "ptx/matrix_shape.hpp"

#include <cassert>
#include <charconv>

namespace assay::ptx {

std::optional<MatrixShape> matrix_shape(std::string_view modifier) {
  MatrixShape shape;
  for (const auto& [letter, size] : {std::pair{'m', &shape.m}, {'n', &shape.n}, {'k', &shape.k}}) {
    if (modifier.empty() || modifier.front() != letter) return std::nullopt;
    modifier.remove_prefix(1);
    const auto [end, problem] = std::from_chars(modifier.data(), modifier.data() + modifier.size(), *size);
    if (problem != std::errc()) return std::nullopt;
    modifier.remove_prefix(static_cast<size_t>(end - modifier.data()));
  }
  return modifier.empty() ? std::optional(shape) : std::nullopt;
}

MatrixShape matrix_shape_of(std::span<const std::string> modifiers) {
  for (const std::string& modifier : modifiers) {
    if (const auto shape = matrix_shape(modifier)) return *shape;
  }
  assert(false && "the row of the opcode table has no shape");
  return {};
}

}  // namespace assay::ptx
