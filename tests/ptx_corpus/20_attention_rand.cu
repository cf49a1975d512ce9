// SPDX-License-Identifier: MIT
// Exercises kernels as users write them: attention, n-body, random numbers, hashing, and thrust.
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <thrust/device_ptr.h>
#include <thrust/functional.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
extern "C" __global__ void attn(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V,
                                float* O, int N, int d, float sc) {
  extern __shared__ float sm[];
  float* k = sm;
  float* v = sm + 32 * 64;
  int t = threadIdx.x, q = blockIdx.x * 32 + t;
  float m = -INFINITY, l = 0, acc[64];
  for (int j = 0; j < 64; j++) acc[j] = 0;
  for (int b = 0; b < N; b += 32) {
    for (int j = 0; j < 64; j++) {
      k[t * 64 + j] = K[(b + t) * 64 + j];
      v[t * 64 + j] = V[(b + t) * 64 + j];
    }
    __syncthreads();
    for (int c = 0; c < 32; c++) {
      float s = 0;
      for (int j = 0; j < 64; j++) s += Q[q * 64 + j] * k[c * 64 + j];
      s *= sc;
      float mn = fmaxf(m, s), p = __expf(s - mn), al = __expf(m - mn);
      l = l * al + p;
      for (int j = 0; j < 64; j++) acc[j] = acc[j] * al + p * v[c * 64 + j];
      m = mn;
    }
    __syncthreads();
  }
  for (int j = 0; j < 64; j++) O[q * 64 + j] = acc[j] / l;
}
extern "C" __global__ void nbody(float4* p, float4* v, int n, float dt) {
  __shared__ float4 s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float4 me = p[i];
  float3 a = {0, 0, 0};
  for (int t = 0; t < n; t += 256) {
    s[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int j = 0; j < 256; j++) {
      float dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z, r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-9f);
      r = r * r * r * s[j].w;
      a.x += dx * r;
      a.y += dy * r;
      a.z += dz * r;
    }
    __syncthreads();
  }
  float4 q = v[i];
  q.x += a.x * dt;
  q.y += a.y * dt;
  q.z += a.z * dt;
  v[i] = q;
  p[i] = make_float4(me.x + q.x * dt, me.y + q.y * dt, me.z + q.z * dt, me.w);
}
extern "C" __global__ void rnd(float* o, unsigned long long seed) {
  curandStatePhilox4_32_10_t st;
  curand_init(seed, threadIdx.x, 0, &st);
  float4 f = curand_normal4(&st);
  o[threadIdx.x] = f.x + f.w;
  curandState x;
  curand_init(seed, blockIdx.x, 0, &x);
  o[threadIdx.x + 1] = curand_uniform(&x);
}
extern "C" __global__ void sha(const unsigned* w, unsigned* o) {
  unsigned a = w[0], b = w[1], e = w[2];
  for (int i = 0; i < 64; i++) {
    unsigned s = __funnelshift_r(e, e, 6) ^ ((e >> 11) | (e << 21));
    unsigned mj = (a & b) ^ (a & e) ^ (b & e);
    e = a + s + w[i];
    a = b + mj;
    b = e ^ a;
  }
  o[threadIdx.x] = a + b + e;
}
struct sq {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
float th(float* p, int n) {
  thrust::device_ptr<float> d(p);
  thrust::sort(d, d + n);
  return thrust::transform_reduce(d, d + n, sq(), 0.f, thrust::plus<float>());
}
