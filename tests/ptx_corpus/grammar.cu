// SPDX-License-Identifier: MIT
// Exercises rare grammar: initialisers with addresses, managed variables, launch attributes, 128-bit registers.
#include <cstdint>
__device__ int x = 3;
__device__ int* px = &x;
__device__ __managed__ int mg;
__constant__ struct {
  int a;
  float b;
  double c[2];
} cs = {1, 2.f, {3., 4.}};
__device__ const char* msg = "hello";
struct S {
  int* p;
  float f;
  char c;
};
__device__ S st = {&x, 1.5f, 'a'};
__device__ float4 f4 = {1, 2, 3, 4};
extern __shared__ double dsh[];
__device__ unsigned long long tbl[3] = {1, 2, 3};
static __device__ int priv;
__device__ volatile int vv;
template <class T>
__device__ __noinline__ T tf(T a) {
  return a * a + T(priv);
}
extern "C" __global__ void __maxnreg__(64) mr(int* o) {
  o[threadIdx.x] = *px + mg + cs.a + (int)cs.c[1] + st.c + (int)f4.y + tf(3) + vv;
  px = o;
  priv = 4;
  dsh[0] = 1;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __block_size__((128, 1, 1), (2, 1, 1)) bs(int* o) {
  o[threadIdx.x] = tbl[1];
}
#endif
extern "C" __global__ void i128(__int128* a, unsigned __int128* b) {
  asm volatile("{.reg .b128 t; ld.global.b128 t,[%0]; st.global.b128 [%1], t;}" ::"l"(a), "l"(b));
  a[1] = a[0] + (__int128)b[0];
}
extern "C" __global__ void lop(const unsigned* a, unsigned* o, float* f) {
  unsigned r;
  asm("lop3.b32 %0,%1,%2,%3,0x96;" : "=r"(r) : "r"(a[0]), "r"(a[1]), "r"(a[2]));
  o[0] = r;
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(f), "f"(1.f));
  uint64_t pol;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(pol));
  float v;
  asm volatile("ld.global.L1::no_allocate.L2::cache_hint.f32 %0,[%1],%2;" : "=f"(v) : "l"(f), "l"(pol));
  f[1] = v;
}
