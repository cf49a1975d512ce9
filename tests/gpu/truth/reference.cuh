// SPDX-License-Identifier: MIT
// The mathematics in double, one thread per result, and inputs from a hash: the same numbers for the same seed.
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace truth {

__device__ inline double to_double(__half x) {
  return __half2float(x);
}
__device__ inline double to_double(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
__device__ inline double to_double(float x) {
  return x;
}
__device__ inline void assign(__half& x, float value) {
  x = __float2half_rn(value);
}
__device__ inline void assign(__nv_bfloat16& x, float value) {
  x = __float2bfloat16_rn(value);
}
__device__ inline void assign(float& x, float value) {
  x = value;
}

__device__ inline float uniform(uint64_t index, uint64_t seed) {  // splitmix64, in (0, 1)
  uint64_t z = (index + 1) * 0x9e3779b97f4a7c15ull + seed * 0xd1342543de82ef95ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return (static_cast<float>((z ^ (z >> 31)) >> 41) + 0.5f) / 8388608.0f;
}

template <typename T>
__global__ void fill_normal(T* x, int64_t count, uint64_t seed) {
  const int64_t i = blockIdx.x * int64_t{256} + threadIdx.x;
  if (i >= count) return;
  const float radius = sqrtf(-2.0f * logf(uniform(2 * i, seed)));
  assign(x[i], radius * cospif(2.0f * uniform(2 * i + 1, seed)));
}

// One block of 128 threads per query row; dynamic shared memory: S doubles.
template <typename T>
__global__ void attention_reference(const T* q, const T* k, const T* v, double* o, int S, int D, double scale,
                                    bool causal) {
  extern __shared__ double s_probability[];
  __shared__ double s_sum;
  const int64_t row = blockIdx.x;
  const int query = static_cast<int>(row % S);
  const int64_t head = (row - query) * D;
  const int keys = causal ? query + 1 : S;
  for (int key = threadIdx.x; key < keys; key += 128) {
    double score = 0;
    for (int i = 0; i < D; ++i) score += to_double(q[row * D + i]) * to_double(k[head + int64_t{key} * D + i]);
    s_probability[key] = score * scale;
  }
  __syncthreads();
  double maximum = s_probability[0];
  for (int key = 1; key < keys; ++key) maximum = fmax(maximum, s_probability[key]);
  __syncthreads();
  for (int key = threadIdx.x; key < keys; key += 128) s_probability[key] = exp(s_probability[key] - maximum);
  __syncthreads();
  if (threadIdx.x == 0) {
    s_sum = 0;
    for (int key = 0; key < keys; ++key) s_sum += s_probability[key];
  }
  __syncthreads();
  for (int i = threadIdx.x; i < D; i += 128) {
    double sum = 0;
    for (int key = 0; key < keys; ++key) sum += s_probability[key] * to_double(v[head + int64_t{key} * D + i]);
    o[row * D + i] = sum / s_sum;
  }
}

template <typename T>
__global__ void gemm_reference(const T* a, const T* b, double* c, int M, int N, int K) {
  const int64_t index = blockIdx.x * int64_t{256} + threadIdx.x;
  if (index >= int64_t{M} * N) return;
  const int64_t row = index / N, column = index % N;
  double sum = 0;
  for (int64_t i = 0; i < K; ++i) sum += to_double(a[row * K + i]) * to_double(b[i * N + column]);
  c[index] = sum;
}

// One thread per row.
template <typename T>
__global__ void softmax_reference(const T* x, double* y, int rows, int columns) {
  const int64_t row = blockIdx.x * int64_t{256} + threadIdx.x;
  if (row >= rows) return;
  x += row * columns, y += row * columns;
  double maximum = to_double(x[0]), sum = 0;
  for (int i = 1; i < columns; ++i) maximum = fmax(maximum, to_double(x[i]));
  for (int i = 0; i < columns; ++i) sum += y[i] = exp(to_double(x[i]) - maximum);
  for (int i = 0; i < columns; ++i) y[i] /= sum;
}

template <typename T>
__global__ void layernorm_reference(const T* x, const T* weight, const T* bias, double* y, int rows, int columns,
                                    double epsilon) {
  const int64_t row = blockIdx.x * int64_t{256} + threadIdx.x;
  if (row >= rows) return;
  x += row * columns, y += row * columns;
  double mean = 0, variance = 0;
  for (int i = 0; i < columns; ++i) mean += to_double(x[i]) / columns;
  for (int i = 0; i < columns; ++i) variance += (to_double(x[i]) - mean) * (to_double(x[i]) - mean) / columns;
  for (int i = 0; i < columns; ++i)
    y[i] = (to_double(x[i]) - mean) / sqrt(variance + epsilon) * to_double(weight[i]) + to_double(bias[i]);
}

__global__ void row_sum_reference(const float* x, double* y, int rows, int columns) {
  const int64_t row = blockIdx.x * int64_t{256} + threadIdx.x;
  if (row >= rows) return;
  double sum = 0;
  for (int i = 0; i < columns; ++i) sum += x[row * columns + i];
  y[row] = sum;
}

}  // namespace truth
