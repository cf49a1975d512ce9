// SPDX-License-Identifier: MIT
// A structure that only a header tells.
#include "described_elsewhere.cuh"
#include "truth.cuh"
using shapes::Problem;
VALUE(extent_rows, i64, 0, offsetof(Problem, extent.rows))
VALUE(extent_columns, i32, 8, offsetof(Problem, extent.columns))
CONST_POINTER(weights, f64, 16, offsetof(Problem, weights))
POINTER(out, f32, 24, offsetof(Problem, out))
extern "C" __global__ void kernel(const Problem p) {
  p.out[threadIdx.x] = p.weights[threadIdx.x] * p.extent.columns;
}
