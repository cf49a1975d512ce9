// SPDX-License-Identifier: MIT
// A tensor's dimensions, from the strides of the blocks and what one block reaches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "describe/reach_survey.hpp"

namespace assay::describe {

// One dimension. Its extent is a product of sizes, or what the blocks along an axis cover, or the number of these
// blocks.
struct Dimension {
  std::optional<size_t> axis;
  bool blocks = false;  // one element for each block, although a size bounds the axis
  Product extent;       // as the dimensions around it tell; not known of the outermost one of an axis
  bool known = true;
  Product stride;
};

struct TensorLayout {
  std::vector<Dimension> dimensions;  // the outermost first; then `inner`, which is contiguous
  Product inner;
  std::optional<Product> part;    // of `inner`, that blocks reach, if it is another product
  std::optional<Product> beyond;  // elements behind all that
  bool border = false;            // the last of `inner` are not reached
};

// `per_block`: of each free axis, how much of its dimension a block takes. Nothing if no product fits.
std::optional<TensorLayout> layout_of(const ReachSurvey& survey, size_t tensor,
                                      const std::array<int64_t, 3>& per_block);

// The constant in each free axis' stride of a tensor: elements that a block takes of its dimension, or a part of the
// stride. 0 where the tensor does not depend on the axis.
std::optional<int64_t> constant_of_stride(const ReachSurvey& survey, size_t tensor, size_t axis);

// A product's factors and its constant as dimensions, the outermost first.
struct OrderedProduct {
  Product product;
  size_t constant_place = 0;  // factors before the constant
};

// In the order in which blocks along bounded axes step through them; the constant innermost if nothing tells.
OrderedProduct in_order_of_strides(const Product& product, const ReachSurvey& survey, size_t tensor,
                                   const std::array<int64_t, 3>& per_block);

}  // namespace assay::describe
