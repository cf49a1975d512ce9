// SPDX-License-Identifier: MIT
// Members of base classes, one of which is empty.
#include "truth.cuh"
struct Tag {};
struct Size {
  int rows;
  int columns;
};
struct Scaled : Size {
  float scale;
};
struct Params : Tag, Scaled {
  float* out;
  static constexpr int kThreads = 64;
};
VALUE(rows, i32, 0, offsetof(Params, rows))
VALUE(columns, i32, 4, offsetof(Params, columns))
VALUE(scale, f32, 8, offsetof(Params, scale))
POINTER(out, f32, 16, offsetof(Params, out))
extern "C" __global__ void kernel(Params p) {
  p.out[threadIdx.x] = p.scale * p.rows * p.columns;
}
