// SPDX-License-Identifier: MIT
// Alignment by names, and padding behind the last member.
#include "truth.cuh"
constexpr int kLine = 32;
struct alignas(2 * sizeof(double)) Pair {
  float low, high;
};
struct alignas(kLine) Params {
  char kind;
  Pair pair;
  float* out;
};
VALUE(kind, i8, 0, offsetof(Params, kind))
VALUE(pair_low, f32, 16, offsetof(Params, pair.low))
VALUE(pair_high, f32, 20, offsetof(Params, pair.high))
POINTER(out, f32, 32, offsetof(Params, out))
static_assert(sizeof(Params) == 64, "");
extern "C" __global__ void kernel(Params p) {
  p.out[threadIdx.x] = p.pair.low + p.pair.high + p.kind;
}
