// SPDX-License-Identifier: MIT
// Forward attention, o = softmax(q k^T * scale) v, head dimension 64. Each block takes 64 queries, a thread a query,
// and goes through all batches and heads by itself: the grid has S / 64 blocks, whatever B and H are.
#include <cuda_fp16.h>

constexpr int kDim = 64;
constexpr int kQueries = 64;
constexpr int kKeys = 32;

extern "C" __global__ void attention_without_heads(const __half* __restrict__ q, const __half* __restrict__ k,
                                                   const __half* __restrict__ v, __half* __restrict__ o, int batch,
                                                   int heads, int length, float scale) {
  __shared__ float s_key[kKeys][kDim];
  __shared__ float s_value[kKeys][kDim];
  const int query = blockIdx.x * kQueries + threadIdx.x;
  const bool live = query < length;
  for (int head = 0; head < batch * heads; ++head) {
    const long long base = static_cast<long long>(head) * length * kDim;
    float r_query[kDim];
    float r_output[kDim];
    for (int d = 0; d < kDim; ++d) {
      r_query[d] = live ? __half2float(q[base + query * kDim + d]) * scale : 0.0f;
      r_output[d] = 0.0f;
    }
    float row_max = -INFINITY;
    float row_sum = 0.0f;
    for (int first = 0; first < length; first += kKeys) {
      __syncthreads();
      for (int i = threadIdx.x; i < kKeys * kDim; i += kQueries) {
        const int key = first + i / kDim;
        const long long at = base + static_cast<long long>(key) * kDim + i % kDim;
        s_key[i / kDim][i % kDim] = key < length ? __half2float(k[at]) : 0.0f;
        s_value[i / kDim][i % kDim] = key < length ? __half2float(v[at]) : 0.0f;
      }
      __syncthreads();
      for (int key = 0; key < kKeys && first + key < length; ++key) {
        float score = 0.0f;
#pragma unroll
        for (int d = 0; d < kDim; ++d) score = fmaf(r_query[d], s_key[key][d], score);
        const float new_max = fmaxf(row_max, score);
        const float shrink = __expf(row_max - new_max);
        const float weight = __expf(score - new_max);
        row_sum = row_sum * shrink + weight;
#pragma unroll
        for (int d = 0; d < kDim; ++d) r_output[d] = fmaf(r_output[d], shrink, weight * s_value[key][d]);
        row_max = new_max;
      }
    }
    for (int d = 0; d < kDim && live; ++d) o[base + query * kDim + d] = __float2half(r_output[d] / row_sum);
  }
}
