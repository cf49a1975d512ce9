// SPDX-License-Identifier: MIT
// The dimensions of a tensor of which a kernel leaves a border: for 0 < i < rows - 1 and 0 < j < columns - 1, the last
// element of i*columns + j that is reached is always the same few places before the end of each dimension.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "describe/product.hpp"

namespace assay::describe {

// A product of two or three sizes, the outermost first. `reach[i]` is for `sizes[i]`. Nothing if there is no border, or
// one that is not the same for all sizes.
std::optional<Product> fit_border(std::span<const int64_t> reach, std::span<const Sizes> sizes);

}  // namespace assay::describe
