// SPDX-License-Identifier: MIT
// The sum over all bodies of mass times distance over its cube, softened by 0.01
#include <assay/reference.h>
#include <cmath>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* body = assay_tensor(problem, "body");
  const AssayTensor* pull = assay_tensor(problem, "pull");
  if (!body || !pull || body->count != pull->count || body->shape[1] != 4)
    return assay_fail(problem, "expected (N, 4)");
  const int64_t count = body->shape[0];
  for (int64_t i = 0; i < count; ++i) {
    double sum[3] = {0, 0, 0};
    for (int64_t j = 0; j < count; ++j) {
      double d[3];
      double square = 0.01;
      for (int k = 0; k < 3; ++k) {
        d[k] = body->data[4 * j + k] - body->data[4 * i + k];
        square += d[k] * d[k];
      }
      const double force = body->data[4 * j + 3] / (square * std::sqrt(square));
      for (int k = 0; k < 3; ++k) sum[k] += d[k] * force;
    }
    for (int k = 0; k < 3; ++k) pull->data[4 * i + k] = sum[k];
    pull->data[4 * i + 3] = 0;
  }
  return 0;
}
