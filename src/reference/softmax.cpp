// SPDX-License-Identifier: MIT
#include "reference/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/arguments.hpp"
#include "reference/compensated_sum.hpp"

namespace assay::reference {
namespace {

void softmax_row(const double* x, double* y, int64_t columns) {
  double largest = -std::numeric_limits<double>::infinity();
  for (int64_t i = 0; i < columns; ++i) largest = std::max(largest, x[i]);
  CompensatedSum sum;
  for (int64_t i = 0; i < columns; ++i) {
    y[i] = std::exp(x[i] - largest);  // an infinite maximum gives NaN: no result
    sum.add(y[i]);
  }
  for (int64_t i = 0; i < columns; ++i) y[i] /= sum.value();
}

}  // namespace

Result<Outputs> softmax(const Problem& problem) {
  ASSAY_TRY(const Tensor* x, input(problem, "x", 1));
  ASSAY_TRY(Tensor y, output(problem, "y", x->shape));
  if (y.values.empty()) return single(std::move(y));
  const int64_t columns = x->shape.back();
  for (int64_t row = 0; row < extent(x->shape, 0, x->shape.size() - 1); ++row) {
    softmax_row(x->values.data() + row * columns, y.values.data() + row * columns, columns);
  }
  return single(std::move(y));
}

}  // namespace assay::reference
