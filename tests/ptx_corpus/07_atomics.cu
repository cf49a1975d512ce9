// SPDX-License-Identifier: MIT
// Exercises atomics of all widths and scopes, compare-and-swap loops and cuda::atomic orderings.
#include <cuda/atomic>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
extern "C" __global__ void histo(const unsigned char* d, unsigned* h, int n) {
  __shared__ unsigned s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&s[d[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) atomicAdd(&h[i], s[i]);
}
extern "C" __global__ void allatom(int* a, unsigned* u, float* f, double* d, unsigned long long* l, half2* h2, half* h,
                                   __nv_bfloat162* b2, unsigned short* us, float4* f4, int* out) {
  int i = threadIdx.x;
  out[0] = atomicAdd(a, i);
  out[1] = atomicSub(a, i);
  out[2] = atomicExch(a, i);
  out[3] = atomicMin(a, i);
  out[4] = atomicMax(u, i);
  out[5] = atomicInc(u, 7);
  out[6] = atomicDec(u, 7);
  out[7] = atomicCAS(a, i, i + 1);
  out[8] = atomicAnd(u, i);
  out[9] = atomicOr(u, i);
  out[10] = atomicXor(u, i);
  out[11] = atomicAdd(f, 1.f);
  out[12] = atomicAdd(d, 1.);
  out[13] = atomicAdd(l, 1ull);
  out[14] = atomicCAS(l, 1ull, 2ull);
  atomicAdd(h2, __floats2half2_rn(1, 2));
  out[15] = (float)atomicAdd(h, half(1));
  atomicAdd(b2, __floats2bfloat162_rn(1, 2));
  out[16] = atomicCAS(us, (unsigned short)1, (unsigned short)2);
  out[17] = atomicAdd_block(a, i);
  out[18] = atomicAdd_system(a, i);
  out[19] = atomicExch(f, 2.f);
  out[20] = atomicMax(l, 3ull);
#if __CUDA_ARCH__ >= 900
  float4 r = atomicAdd(f4, make_float4(1, 2, 3, 4));
  out[21] = r.x;
#endif
  // unused results -> red
  atomicAdd(a, 1);
  atomicMax(a + 1, i);
  atomicAdd(f, 1.f);
  atomicOr(u, i);
  atomicMin((long long*)l, 3ll);
}
extern "C" __global__ void cuatom(int* a, unsigned long long* b, float* f, volatile int* flag) {
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*a);
  r.fetch_add(1, cuda::memory_order_relaxed);
  r.store(3, cuda::memory_order_release);
  int v = r.load(cuda::memory_order_acquire);
  int e = v;
  r.compare_exchange_strong(e, 5, cuda::memory_order_acq_rel);
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> q(*b);
  q.fetch_or(1);
  q.exchange(5);
  cuda::atomic_ref<float, cuda::thread_scope_block> g(*f);
  g.fetch_add(1.f);
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);
  if (threadIdx.x == 0) {
    while (atomicCAS(a, 0, 1) != 0) __nanosleep(20);
    *b += 1;
    __threadfence();
    atomicExch(a, 0);
  }
  while (*flag == 0);
}
extern "C" __global__ void lastblock(float* p, unsigned* cnt, float* out) {
  __shared__ bool last;
  p[blockIdx.x] = threadIdx.x;
  __threadfence();
  if (!threadIdx.x) {
    unsigned t = atomicInc(cnt, gridDim.x);
    last = (t == gridDim.x - 1);
  }
  __syncthreads();
  if (last) out[threadIdx.x] = p[threadIdx.x];
}
