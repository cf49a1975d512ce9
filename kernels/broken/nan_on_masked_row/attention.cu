// SPDX-License-Identifier: MIT
// Broken on purpose: causal attention that takes blocks of keys from the last to the first. The first block that a row
// meets may be hidden from it altogether; its maximum is then -inf, and -inf - (-inf) is NaN.
#include <cstdint>
#include <cuda_fp16.h>

namespace {
constexpr int kQueryRows = 64;
constexpr int kKeyRows = 32;
constexpr int kHeadDim = 64;
}  // namespace

extern "C" __global__ void __launch_bounds__(kQueryRows)
    attention_f16_d64(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                      __half* __restrict__ o, int S, float scale, int causal) {
  const int tiles = (S + kQueryRows - 1) / kQueryRows;
  const int first_query = static_cast<int>(blockIdx.x) % tiles * kQueryRows;
  const int query = first_query + static_cast<int>(threadIdx.x);
  if (query >= S) return;
  const int64_t head_offset = static_cast<int64_t>(blockIdx.x / tiles) * S * kHeadDim;
  const __half* g_query = q + head_offset + static_cast<int64_t>(query) * kHeadDim;
  const int visible_keys = causal ? query + 1 : S;
  const int end_key = causal ? min(S, first_query + kQueryRows) : S;  // of all queries of the block

  float r_output[kHeadDim] = {};
  float maximum = -INFINITY;
  float sum = 0.0f;
  for (int first_key = (end_key - 1) / kKeyRows * kKeyRows; first_key >= 0; first_key -= kKeyRows) {
    const int keys = min(kKeyRows, end_key - first_key);
    float score[kKeyRows];
    float now = maximum;
    for (int j = 0; j < keys; ++j) {
      const __half* g_key = k + head_offset + static_cast<int64_t>(first_key + j) * kHeadDim;
      float product = 0.0f;
      for (int i = 0; i < kHeadDim; ++i) product += __half2float(g_query[i]) * __half2float(g_key[i]);
      score[j] = first_key + j < visible_keys ? product * scale : -INFINITY;
      now = fmaxf(now, score[j]);
    }
    const float shrink = expf(maximum - now);
    maximum = now;
    sum *= shrink;
#pragma unroll
    for (int i = 0; i < kHeadDim; ++i) r_output[i] *= shrink;
    for (int j = 0; j < keys; ++j) {
      const __half* g_value = v + head_offset + static_cast<int64_t>(first_key + j) * kHeadDim;
      const float probability = expf(score[j] - now);
      sum += probability;
#pragma unroll
      for (int i = 0; i < kHeadDim; ++i) r_output[i] += probability * __half2float(g_value[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < kHeadDim; ++i)
    o[head_offset + static_cast<int64_t>(query) * kHeadDim + i] = __float2half(r_output[i] / sum);
}
