// SPDX-License-Identifier: MIT
// Broken on purpose: attention of one head per block, whose threads walk over the queries in tiles of TILE. Running
// maximum, sum and output live in shared memory, found by the global query index modulo the tile, and are set up once.
// Query 64 finds what query 0 left there. All is well up to S = 64.
#include <cstdint>
#include <cuda_fp16.h>

namespace {
constexpr int kTile = 64;
constexpr int kHeadDim = 64;
}  // namespace

extern "C" __global__ void __launch_bounds__(kTile)
    attention_f16_d64(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                      __half* __restrict__ o, int S, float scale, int causal) {
  __shared__ float s_maximum[kTile];
  __shared__ float s_sum[kTile];
  __shared__ float s_output[kTile][kHeadDim + 1];
  const int64_t head_offset = static_cast<int64_t>(blockIdx.x) * S * kHeadDim;

  s_maximum[threadIdx.x] = -INFINITY;
  s_sum[threadIdx.x] = 0.0f;
  for (int i = 0; i < kHeadDim; ++i) s_output[threadIdx.x][i] = 0.0f;
  __syncthreads();

  for (int query = static_cast<int>(threadIdx.x); query < S; query += kTile) {
    const int slot = query % kTile;
    const int visible_keys = causal ? query + 1 : S;
    const __half* g_query = q + head_offset + static_cast<int64_t>(query) * kHeadDim;
    for (int key = 0; key < visible_keys; ++key) {
      const int64_t key_offset = head_offset + static_cast<int64_t>(key) * kHeadDim;
      float score = 0.0f;
      for (int i = 0; i < kHeadDim; ++i) score += __half2float(g_query[i]) * __half2float(k[key_offset + i]);
      score *= scale;
      const float maximum = fmaxf(s_maximum[slot], score);
      const float shrink = expf(s_maximum[slot] - maximum);
      const float probability = expf(score - maximum);
      s_maximum[slot] = maximum;
      s_sum[slot] = s_sum[slot] * shrink + probability;
      for (int i = 0; i < kHeadDim; ++i)
        s_output[slot][i] = s_output[slot][i] * shrink + probability * __half2float(v[key_offset + i]);
    }
    for (int i = 0; i < kHeadDim; ++i)
      o[head_offset + static_cast<int64_t>(query) * kHeadDim + i] = __float2half(s_output[slot][i] / s_sum[slot]);
  }
}
