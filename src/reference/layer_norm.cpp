// SPDX-License-Identifier: MIT
#include "reference/layer_norm.hpp"

#include <cmath>
#include <fmt/format.h>

#include "reference/arguments.hpp"
#include "reference/compensated_sum.hpp"

namespace assay::reference {
namespace {

constexpr double kDefaultEpsilon = 1e-5;

// Weight or bias: nothing if it is not given.
Result<const double*> per_column(const Problem& problem, const std::string& name, int64_t columns) {
  if (!problem.inputs.contains(name)) return static_cast<const double*>(nullptr);
  ASSAY_TRY(const Tensor* tensor, input(problem, name, 1));
  if (tensor->shape != Shape{columns}) {
    return mismatch("layer_norm",
                    fmt::format("expected {} of shape [{}], found {}", name, columns, to_string(tensor->shape)));
  }
  return tensor->values.data();
}

// Two passes: the one-pass formula E[x^2] - E[x]^2 cancels when the mean is large.
void normalise_row(const double* x, double* y, int64_t columns, const double* weight, const double* bias,
                   double epsilon) {
  CompensatedSum sum;
  for (int64_t i = 0; i < columns; ++i) sum.add(x[i]);
  const double mean = sum.value() / static_cast<double>(columns);
  CompensatedSum squares;
  for (int64_t i = 0; i < columns; ++i) squares.add((x[i] - mean) * (x[i] - mean));
  const double deviation = std::sqrt(squares.value() / static_cast<double>(columns) + epsilon);
  for (int64_t i = 0; i < columns; ++i) {
    y[i] = (x[i] - mean) / deviation * (weight ? weight[i] : 1.0) + (bias ? bias[i] : 0.0);
  }
}

}  // namespace

Result<Outputs> layer_norm(const Problem& problem) {
  ASSAY_TRY(const Tensor* x, input(problem, "x", 1));
  const int64_t columns = x->shape.back();
  ASSAY_TRY(const double* weight, per_column(problem, "weight", columns));
  ASSAY_TRY(const double* bias, per_column(problem, "bias", columns));
  ASSAY_TRY(Tensor y, output(problem, "y", x->shape));
  if (y.values.empty()) return single(std::move(y));
  const double epsilon = parameter(problem, "eps", kDefaultEpsilon);
  for (int64_t row = 0; row < extent(x->shape, 0, x->shape.size() - 1); ++row) {
    normalise_row(x->values.data() + row * columns, y.values.data() + row * columns, columns, weight, bias, epsilon);
  }
  return single(std::move(y));
}

}  // namespace assay::reference
