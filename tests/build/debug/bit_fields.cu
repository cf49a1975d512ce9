// SPDX-License-Identifier: MIT
// Bits that share their bytes, and a member that lies in the storage of another's.
#include "truth.cuh"
struct Flags {
  unsigned causal : 1;
  unsigned heads : 7;
  unsigned window : 20;
  float* out;
  int low : 3;
  int high : 9;
  char mark;
};
VALUE(causal_heads_window, u32, 0, 0)
POINTER(out, f32, 8, offsetof(Flags, out))
VALUE(low_high, u16, 16, 16)
VALUE(mark, i8, 18, offsetof(Flags, mark))
static_assert(sizeof(Flags) == 24, "");
extern "C" __global__ void kernel(Flags f) {
  f.out[threadIdx.x] = f.causal ? f.window : f.heads + f.high + f.mark;
}
