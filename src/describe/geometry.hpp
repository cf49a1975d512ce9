// SPDX-License-Identifier: MIT
// What a kernel's tensors and grid must be, found by running it. How far it reaches into each tensor follows from the
// sizes that it is given and from the number of blocks: a few runs with other values show on what it depends, and how.
//
//   - An axis of the grid along which the reach grows for ever is free: the growth for one block more is a stride, and
//     the strides of a tensor, the largest first, divide it into its dimensions.
//   - An axis along which it stops growing is bounded: where it stops says which size the blocks cover, and how much of
//     it a block takes.
//   - What is left is as long as one block reaches, a product of sizes.
//
// Nothing is believed before another run, with sizes that were not used, has reached no further than that.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "describe/product.hpp"

namespace assay::describe {

struct Question {
  std::vector<std::string> sizes;  // the integers that the kernel takes
  std::vector<bool> large;         // of each: it is called a size. Others are given small numbers
  std::vector<bool> groups;        // of each: it is called a number of rows, heads ..., so that a block may be one
  size_t tensors = 0;
  bool many_dimensions = false;           // tensors have more of them than there are sizes: small ones keep runs short
  std::array<bool, 3> axes{};             // of the grid, that the kernel looks at
  std::array<int64_t, 3> block{1, 1, 1};  // threads
};

struct Setting {
  Sizes sizes;
  std::array<int64_t, 3> grid{1, 1, 1};
  Sizes strides{};     // of the kernel's strides, where it takes any (describe/strided_geometry.hpp)
  bool rough = false;  // the question is only whether some tensor is reached further: rows need not be told apart
};

// Elements of each tensor up to the last one that is touched; nothing if the kernel cannot run so. An error ends all.
using Reach = std::vector<int64_t>;
using Probe = std::function<Result<std::optional<Reach>>(const Setting&)>;

struct Geometry {
  std::vector<std::string> sizes;  // those of the question, and numbers of blocks that no size of it gives
  std::vector<std::vector<std::string>> shapes;  // of each tensor; empty: not found
  std::vector<bool> border;                      // of each tensor: the kernel leaves some elements around the others
  std::array<std::string, 3> grid;               // "": not found
  std::array<bool, 3> assumed{};                 // of each axis: what it covers is the only size that nothing else uses
  std::vector<bool> used;                        // of each size: a shape or the grid depends on it
  int64_t multiple = 1;                          // of which the sizes must be, as far as is known
};

// Nothing if no shape and no axis was found.
Result<std::optional<Geometry>> find_geometry(const Question& question, const Probe& probe);

}  // namespace assay::describe
