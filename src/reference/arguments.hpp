// SPDX-License-Identifier: MIT
// How references look at a problem: tensors by name with their rank, parameters with a default, shapes that must agree.
#pragma once

#include <string>
#include <string_view>

#include "reference/problem.hpp"

namespace assay::reference {

// The input of that name with at least `least_rank` dimensions and as many values as its shape says.
Result<const Tensor*> input(const Problem& problem, const std::string& name, size_t least_rank);

// A scalar argument, else a shape variable, else the default.
double parameter(const Problem& problem, const std::string& name, double otherwise);

// The output of that name, with no result (NaN) anywhere yet, if the problem wants exactly this shape.
Result<Tensor> output(const Problem& problem, const std::string& name, const Shape& expected);

// An error "softmax: ..." for shapes that do not fit together.
Error mismatch(std::string_view reference, const std::string& what);

// The product of the dimensions from `first` up to but without `last`; 0 if it does not fit, which only a tensor
// without elements can cause, since the elements of all others are in memory.
int64_t extent(const Shape& shape, size_t first, size_t last);

Outputs single(Tensor tensor);

}  // namespace assay::reference
