// SPDX-License-Identifier: MIT
// The squared distance of each point to the nearest centre; points are stored by dimension
#include <assay/reference.h>

int assay_reference(AssayProblem* problem) {
  const AssayTensor* points = assay_tensor(problem, "points");
  const AssayTensor* centres = assay_tensor(problem, "centres");
  const AssayTensor* distance = assay_tensor(problem, "distance");
  if (!points || !centres || !distance || points->shape[0] != 16)
    return assay_fail(problem, "expected points of 16 dimensions");
  for (int64_t point = 0; point < distance->count; ++point) {
    double nearest = 3.0e38;
    for (int64_t centre = 0; centre < centres->shape[0]; ++centre) {
      double sum = 0;
      for (int64_t i = 0; i < 16; ++i) {
        const double difference = points->data[i * distance->count + point] - centres->data[centre * 16 + i];
        sum += difference * difference;
      }
      if (sum < nearest) nearest = sum;
    }
    distance->data[point] = nearest;
  }
  return 0;
}
