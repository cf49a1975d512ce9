// SPDX-License-Identifier: MIT
#include "reference/row_reduction.hpp"

#include "reference/arguments.hpp"
#include "reference/compensated_sum.hpp"

namespace assay::reference {

Result<Outputs> row_reduction(const Problem& problem) {
  ASSAY_TRY(const Tensor* x, input(problem, "x", 1));
  const int64_t columns = x->shape.back();
  const Shape rows(x->shape.begin(), x->shape.end() - 1);
  Shape kept = rows;  // the reduced dimension may stay, as 1
  kept.push_back(1);
  const auto wanted = problem.output_shapes.find("y");
  const bool keep = wanted != problem.output_shapes.end() && wanted->second == kept;
  ASSAY_TRY(Tensor y, output(problem, "y", keep ? kept : rows));
  for (const int64_t row : problem.sample.of_matrix(0, static_cast<int64_t>(y.values.size()))) {
    CompensatedSum sum;
    for (int64_t i = 0; i < columns; ++i) sum.add(x->values[static_cast<size_t>(row * columns + i)]);
    y.values[static_cast<size_t>(row)] = sum.value();
  }
  return single(std::move(y));
}

}  // namespace assay::reference
