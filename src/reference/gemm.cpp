// SPDX-License-Identifier: MIT
#include "reference/gemm.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "reference/arguments.hpp"

namespace assay::reference {
namespace {

// One row of c at a time: the inner loop runs along rows of b, so that it vectorises. Partial sums over blocks of k
// are added at the end of each block; the rounding error grows with k / kBlock + kBlock instead of with k.
constexpr int64_t kBlock = 64;

void multiply(const double* a, const double* b, double* c, const std::vector<int64_t>& rows, int64_t n, int64_t k,
              std::vector<double>& partial) {
  for (const int64_t row : rows) {
    double* out = c + row * n;
    std::fill_n(out, n, 0.0);
    for (int64_t first = 0; first < k; first += kBlock) {
      std::fill(partial.begin(), partial.end(), 0.0);
      for (int64_t p = first; p < std::min(k, first + kBlock); ++p) {
        const double factor = a[row * k + p];
        const double* b_row = b + p * n;
        for (int64_t column = 0; column < n; ++column) partial[column] += factor * b_row[column];
      }
      for (int64_t column = 0; column < n; ++column) out[column] += partial[column];
    }
  }
}

// c = alpha * product + beta * old
Result<void> finish(const Problem& problem, Tensor& c) {
  const double alpha = parameter(problem, "alpha", 1.0);
  const double beta = parameter(problem, "beta", 0.0);
  if (alpha != 1.0) {
    for (double& value : c.values) value *= alpha;
  }
  if (beta != 0.0) {
    ASSAY_TRY(const Tensor* old, input(problem, "c", 2));
    if (old->shape != c.shape) return mismatch("gemm", "the input c must have the shape of the output c");
    for (size_t i = 0; i < c.values.size(); ++i) c.values[i] += beta * old->values[i];
  }
  return {};
}

}  // namespace

Result<Outputs> gemm(const Problem& problem) {
  ASSAY_TRY(const Tensor* a, input(problem, "a", 2));
  ASSAY_TRY(const Tensor* b, input(problem, "b", 2));
  const size_t rank = a->shape.size();
  const size_t b_rank = b->shape.size();
  const int64_t m = a->shape[rank - 2], k = a->shape[rank - 1], n = b->shape[b_rank - 1];
  const bool shared = b_rank == 2;
  if (b->shape[b_rank - 2] != k || (!shared && b_rank != rank) ||
      (!shared && !std::equal(a->shape.begin(), a->shape.end() - 2, b->shape.begin()))) {
    return mismatch("gemm", fmt::format("expected a (..., m, k) and b (..., k, n), found a {} and b {}",
                                        to_string(a->shape), to_string(b->shape)));
  }
  Shape shape = a->shape;
  shape.back() = n;
  ASSAY_TRY(Tensor c, output(problem, "c", shape));
  if (c.values.empty()) return single(std::move(c));
  std::vector<double> partial(static_cast<size_t>(n));
  for (int64_t batch = 0; batch < extent(a->shape, 0, rank - 2); ++batch) {
    multiply(a->values.data() + batch * m * k, b->values.data() + (shared ? 0 : batch * k * n),
             c.values.data() + batch * m * n, problem.sample.of_matrix(batch, m), n, k, partial);
  }
  ASSAY_CHECK(finish(problem, c));
  return single(std::move(c));
}

}  // namespace assay::reference
