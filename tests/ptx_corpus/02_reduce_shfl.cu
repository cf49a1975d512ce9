// SPDX-License-Identifier: MIT
// Exercises warp shuffles, redux, reductions in static and dynamic shared memory, fences and counting barriers.
#include <cuda_runtime.h>
template <class T>
__device__ __forceinline__ T wsum(T v) {
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  return v;
}
__device__ __forceinline__ float wmax(float v) {
  for (int o = 16; o; o >>= 1) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
extern "C" __global__ void reduce_sum(const float* __restrict__ x, float* out, int n) {
  __shared__ float s[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v += x[i];
  v = wsum(v);
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  if (!lane) s[w] = v;
  __syncthreads();
  if (w == 0) {
    v = lane < (blockDim.x >> 5) ? s[lane] : 0.f;
    v = wsum(v);
    if (!lane) atomicAdd(out, v);
  }
}
extern "C" __global__ void reduce_i64(const long long* x, long long* out, double* dout, int n) {
  long long v = x[threadIdx.x];
  v = wsum(v);
  double d = wsum((double)v);
  if (threadIdx.x == 0) {
    *out = v;
    *dout = d;
  }
}
extern "C" __global__ void reduce_redux(const int* x, int* out) {
  int v = x[threadIdx.x];
  out[0] = __reduce_add_sync(~0u, v);
  out[1] = __reduce_max_sync(~0u, v);
  out[2] = __reduce_min_sync(~0u, (unsigned)v);
  out[3] = __reduce_and_sync(~0u, (unsigned)v);
  out[4] = __reduce_or_sync(~0u, (unsigned)v);
  out[5] = __reduce_xor_sync(~0u, (unsigned)v);
}
extern "C" __global__ void scan_up(const float* x, float* o) {
  float v = x[threadIdx.x];
  int lane = threadIdx.x & 31;
  for (int d = 1; d < 32; d <<= 1) {
    float t = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += t;
  }
  o[threadIdx.x] = wmax(v) + __shfl_sync(~0u, v, 3, 8);
}
extern __shared__ float dyn[];
extern "C" __global__ void reduce_tree(const float* x, float* o) {
  dyn[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) dyn[threadIdx.x] += dyn[threadIdx.x + s];
    __syncthreads();
  }
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  if (!threadIdx.x) o[blockIdx.x] = dyn[0];
  int c = __syncthreads_count(o[0] > 1.f), a = __syncthreads_and(c), b = __syncthreads_or(c);
  o[1] = c + a + b;
  __syncwarp();
  __syncwarp(0xffff);
}
