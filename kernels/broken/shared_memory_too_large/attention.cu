// SPDX-License-Identifier: MIT
// Does not fit on purpose: attention with float tiles of BLOCK queries, keys and values in shared memory, and a maximum
// and a sum for each query: 4 * 3 * BLOCK * 64 + 2 * 4 * BLOCK bytes. The arithmetic is right where it fits.
#include <cstdint>
#include <cuda_fp16.h>

#ifndef BLOCK
#define BLOCK 256
#endif

namespace {

constexpr int kHeadDim = 64;

// Column i of a row lies at i ^ (row % 32): threads that read the same column of their own rows meet different banks.
__device__ __forceinline__ int place(int row, int column) {
  return row * kHeadDim + (column ^ (row % 32));
}

__device__ __forceinline__ void load_tile(float* s_tile, const __half* g_head, int first_row, int rows) {
  for (int i = threadIdx.x; i < BLOCK * kHeadDim; i += BLOCK) {
    const int row = i / kHeadDim;
    const bool inside = first_row + row < rows;
    const int64_t offset = static_cast<int64_t>(first_row) * kHeadDim + i;
    s_tile[place(row, i % kHeadDim)] = inside ? __half2float(g_head[offset]) : 0.0f;
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(BLOCK)
    attention_f16_d64(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                      __half* __restrict__ o, int S, float scale, int causal) {
  extern __shared__ float s_memory[];
  float* s_query = s_memory;                      // (BLOCK, 64)
  float* s_key = s_query + BLOCK * kHeadDim;      // (BLOCK, 64)
  float* s_value = s_key + BLOCK * kHeadDim;      // (BLOCK, 64)
  float* s_maximum = s_value + BLOCK * kHeadDim;  // (BLOCK)
  float* s_sum = s_maximum + BLOCK;               // (BLOCK)

  const int tiles = (S + BLOCK - 1) / BLOCK;
  const int first_query = static_cast<int>(blockIdx.x) % tiles * BLOCK;
  const int64_t head_offset = static_cast<int64_t>(blockIdx.x / tiles) * S * kHeadDim;
  const int row = static_cast<int>(threadIdx.x);
  const int query = first_query + row;
  const int visible_keys = causal ? min(query + 1, S) : S;

  load_tile(s_query, q + head_offset, first_query, S);
  s_maximum[row] = -INFINITY;
  s_sum[row] = 0.0f;
  float r_output[kHeadDim] = {};
  for (int first_key = 0; first_key < S; first_key += BLOCK) {
    load_tile(s_key, k + head_offset, first_key, S);
    load_tile(s_value, v + head_offset, first_key, S);
    __syncthreads();
    for (int key = 0; key < min(BLOCK, visible_keys - first_key); ++key) {
      float score = 0.0f;
#pragma unroll
      for (int i = 0; i < kHeadDim; ++i) score += s_query[place(row, i)] * s_key[place(key, i)];
      score *= scale;
      const float maximum = fmaxf(s_maximum[row], score);
      const float shrink = expf(s_maximum[row] - maximum);
      const float probability = expf(score - maximum);
      s_maximum[row] = maximum;
      s_sum[row] = s_sum[row] * shrink + probability;
#pragma unroll
      for (int i = 0; i < kHeadDim; ++i) r_output[i] = r_output[i] * shrink + probability * s_value[place(key, i)];
    }
    __syncthreads();
  }
  if (query < S) {
#pragma unroll
    for (int i = 0; i < kHeadDim; ++i)
      o[head_offset + static_cast<int64_t>(query) * kHeadDim + i] = __float2half(r_output[i] / s_sum[row]);
  }
}
