// SPDX-License-Identifier: MIT
// What a reference is given and what it returns.
//
// Where a reference has a result: an element of an output is defined unless it is NaN. References follow IEEE
// arithmetic, so infinities in the inputs give infinities or NaN by its rules; a NaN means that the mathematics
// defines nothing there (infinity minus infinity, zero times infinity), and nobody may hold a kernel to it.
#pragma once

#include <cmath>
#include <map>
#include <string>

#include "base/result.hpp"
#include "reference/row_sample.hpp"
#include "reference/tensor.hpp"

namespace assay::reference {

struct Problem {
  std::map<std::string, Tensor> inputs;
  std::map<std::string, double> scalars;         // the kernel's scalar arguments
  std::map<std::string, double> variables;       // the shape's variables, for example S and causal
  std::map<std::string, int64_t> large_scalars;  // those of them that a double does not hold
  std::map<std::string, int64_t> large_variables;
  std::map<std::string, Shape> output_shapes;       // a name that is also an input is updated in place
  std::map<std::string, Integers> output_integers;  // of outputs of 64-bit integers
  RowSample sample;
};

using Outputs = std::map<std::string, Tensor>;

inline bool has_result(double value) {
  return !std::isnan(value);
}

}  // namespace assay::reference
