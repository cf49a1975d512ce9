// SPDX-License-Identifier: MIT
#include "reference/copy.hpp"

#include <fmt/format.h>

#include "reference/arguments.hpp"

namespace assay::reference {

Result<Outputs> copy(const Problem& problem) {
  ASSAY_TRY(const Tensor* x, input(problem, "x", 0));
  const auto wanted = problem.output_shapes.find("y");
  if (wanted == problem.output_shapes.end()) return mismatch("copy", "the output tensor 'y' is missing");
  const bool same_rank = wanted->second.size() == x->shape.size();
  if ((same_rank && wanted->second != x->shape) || element_count(wanted->second) != element_count(x->shape)) {
    return mismatch("copy", fmt::format("x {} and y {} differ", to_string(x->shape), to_string(wanted->second)));
  }
  return single(Tensor{"y", wanted->second, x->values, x->words, x->integers});
}

}  // namespace assay::reference
