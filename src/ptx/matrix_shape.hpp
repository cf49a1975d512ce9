// SPDX-License-Identifier: MIT
// The shape of a matrix instruction, which is one of its modifiers: "m16n8k16".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace assay::ptx {

struct MatrixShape {
  size_t m = 0, n = 0, k = 0;
};

std::optional<MatrixShape> matrix_shape(std::string_view modifier);

// The one among an instruction's modifiers; of rows of the opcode table that have it.
MatrixShape matrix_shape_of(std::span<const std::string> modifiers);

}  // namespace assay::ptx
