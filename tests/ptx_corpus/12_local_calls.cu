// SPDX-License-Identifier: MIT
// Exercises local memory, direct, indirect and recursive calls, structures by value and virtual functions.
struct P {
  double d;
  int a[3];
  char c;
};
__device__ __noinline__ float nf(float a, int b) {
  return a * b + 1.f;
}
__device__ __noinline__ P mk(P p, int i) {
  p.a[i % 3] += i;
  p.d *= 2;
  return p;
}
__device__ __noinline__ void outp(float* x, float4 v, bool f, short s, long long l) {
  x[0] = v.x + v.w + f + s + l;
}
typedef float (*fp)(float, int);
__device__ float f1(float a, int b) {
  return a + b;
}
__device__ float f2(float a, int b) {
  return a - b;
}
__device__ fp tab[2] = {f1, f2};
extern "C" __global__ void calls(float* o, const int* idx, P* p) {
  int i = threadIdx.x;
  float loc[32];
  for (int k = 0; k < 32; k++) loc[k] = nf(o[k], k);
  float s = 0;
  for (int k = 0; k < 8; k++) s += loc[idx[k] & 31];
  p[i] = mk(p[i], i);
  outp(o + i, make_float4(1, 2, 3, s), s > 1, (short)i, (long long)i);
  o[i] += tab[idx[i] & 1](s, i);
}
class B {
 public:
  __device__ virtual float f(float x) = 0;
  int k;
};
class D1 : public B {
 public:
  __device__ float f(float x) override { return x * k; }
};
class D2 : public B {
 public:
  __device__ float f(float x) override { return x + k; }
};
extern "C" __global__ void virt(float* o, int w) {
  D1 a;
  D2 b;
  a.k = 3;
  b.k = 4;
  B* p = w ? (B*)&a : (B*)&b;
  o[threadIdx.x] = p->f(o[threadIdx.x]);
}
extern "C" __global__ void heap(int** o) {
  int* p = new int[threadIdx.x + 1];
  p[threadIdx.x] = 3;
  o[threadIdx.x] = p;
  if (threadIdx.x & 1) delete[] p;
  void* q = malloc(16);
  free(q);
}
struct Big {
  int v[64];
  const float* p;
};
extern "C" __global__ void bigparam(const __grid_constant__ Big b, Big c, int* o) {
  int i = threadIdx.x;
  const int* q = &b.v[0];
  o[i] = q[i & 63] + c.v[(i + 1) & 63] + (int)b.p[i];
}
__device__ __forceinline__ float inl2(float x) {
  return x * x + 1.f;
}
__device__ __forceinline__ float inl1(const float* x, int i) {
  return inl2(x[i]) + inl2(x[i + 1]);
}
extern "C" __global__ void inlined(const float* x, float* o) {
  o[threadIdx.x] = inl1(x, threadIdx.x);
}
extern "C" __global__ void lmem_stack(int* o, int n) {
  int buf[128];
  for (int k = 0; k < n; k++) buf[(k * 7) & 127] = o[k];
  int* pp = n > 5 ? buf : o;
  o[threadIdx.x] = pp[threadIdx.x & 127];
  __shared__ int sh[4];
  int* gp = (n & 1) ? sh : o;
  gp[n & 3] = 7;
  o[3] = __isShared(gp) + __isGlobal(gp) + __isLocal(pp) + __isConstant(pp);
  int* al = (int*)alloca(n * 4);
  al[0] = n;
  o[7] = al[n & 1];
}
