// SPDX-License-Identifier: MIT
// A union, structures without a name, and arrays of both kinds.
#include "truth.cuh"
struct Entry {
  short key;
  float weight;
};
struct Params {
  union {
    float f;
    double d;
  } start;
  struct {
    int first, last;
  };
  Entry entries[2];
  unsigned char table[2][2];
  float* out;
};
VALUE(start_d, f64, 0, offsetof(Params, start.d))
VALUE(first, i32, 8, offsetof(Params, first))
VALUE(last, i32, 12, offsetof(Params, last))
VALUE(entries_0_key, i16, 16, offsetof(Params, entries))
VALUE(entries_0_weight, f32, 20, offsetof(Params, entries[0].weight))
VALUE(entries_1_key, i16, 24, offsetof(Params, entries[1]))
VALUE(entries_1_weight, f32, 28, offsetof(Params, entries[1].weight))
VALUE(table_0_0, u8, 32, offsetof(Params, table))
VALUE(table_0_1, u8, 33, offsetof(Params, table[0][1]))
VALUE(table_1_0, u8, 34, offsetof(Params, table[1][0]))
VALUE(table_1_1, u8, 35, offsetof(Params, table[1][1]))
POINTER(out, f32, 40, offsetof(Params, out))
extern "C" __global__ void kernel(Params p) {
  p.out[threadIdx.x] = p.start.d + p.first + p.table[1][1] + p.entries[1].key;
}
