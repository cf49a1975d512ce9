// SPDX-License-Identifier: MIT
// Exercises 32-byte vectors, which become v8 accesses on newer targets.
struct __align__(32) f8 {
  float v[8];
};
extern "C" __global__ void v8(const f8* a, f8* b) {
  f8 x = a[threadIdx.x];
  for (int i = 0; i < 8; i++) x.v[i] = x.v[i] * 2.f + 1.f;
  b[threadIdx.x] = x;
}
