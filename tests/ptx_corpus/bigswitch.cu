// SPDX-License-Identifier: MIT
// Exercises a wide switch and brx.idx with branch targets.
extern "C" __global__ void sw32(const int* a, int* o, volatile int* q) {
  int i = threadIdx.x;
  int r = 0;
  switch (a[i]) {
#define C(n)          \
  case n:             \
    q[n] = i * n;     \
    r = q[n * 3] + n; \
    break;
    C(0)
    C(1) C(2) C(3) C(4) C(5) C(6) C(7) C(8) C(9) C(10) C(11) C(12) C(13) C(14) C(15) C(16) C(17) C(18) C(19) C(20) C(21)
        C(22) C(23) C(24) C(25) C(26) C(27) C(28) C(29) C(30) C(31) default : r = -1;
  }
  o[i] = r;
}
extern "C" __global__ void asmbrx(const unsigned* a, int* o) {
  unsigned i = a[threadIdx.x] & 3;
  int r;
  asm volatile(
      "{ .reg .u32 t; ts: .branchtargets LA, LB; brx.idx %1, ts; LA: mov.u32 %0, 5; bra LE; LB: mov.u32 %0, 7; LE: }"
      : "=r"(r)
      : "r"(i));
  o[threadIdx.x] = r;
}
