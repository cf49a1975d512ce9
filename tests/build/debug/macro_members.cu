// SPDX-License-Identifier: MIT
// Members that a macro makes.
#include "truth.cuh"
#define FIELDS(X) X(float*, out) X(const int*, index) X(float, alpha) X(int, stride_x) X(double, limit)
struct Params {
#define DECLARE(type, name) type name;
  FIELDS(DECLARE)
#undef DECLARE
};
POINTER(out, f32, 0, offsetof(Params, out))
CONST_POINTER(index, i32, 8, offsetof(Params, index))
VALUE(alpha, f32, 16, offsetof(Params, alpha))
VALUE(stride_x, i32, 20, offsetof(Params, stride_x))
VALUE(limit, f64, 24, offsetof(Params, limit))
extern "C" __global__ void kernel(Params p) {
  p.out[threadIdx.x] = p.alpha * p.index[threadIdx.x];
}
