// SPDX-License-Identifier: MIT
// What a kernel's tensors, strides and grid must be, where it takes strides beside sizes. The tensors are those of
// describe/geometry.hpp with a stride for each dimension; a stride is at least what lies between two of its steps: a
// row, or the rows of the next smaller stride.
#pragma once

#include "describe/stride_uses.hpp"

namespace assay::describe {

// Of a kernel's stride, in whatever it counts.
struct StrideValue {
  std::string packed;  // without a gap between the rows; empty: no tensor that was explained depends on it
  int64_t unit = 1;    // what a gap of one element is
};

struct StridedGeometry {
  Geometry geometry;
  std::vector<std::vector<std::string>> strides;  // of each tensor's dimensions, in elements; empty: dense
  std::vector<StrideValue> values;                // of each stride; they name one another
};

// Nothing if no stride was understood.
Result<std::optional<StridedGeometry>> find_strided_geometry(const StrideQuestion& question, const Probe& probe);

}  // namespace assay::describe
