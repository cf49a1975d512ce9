// SPDX-License-Identifier: MIT
// The first step of the ladder: one thread per query row, straight from the definition. Every thread reads all keys and
// values of its head from global memory. Correct, short, and slow for reasons that the next steps remove one by one.
#include "../../primitives/element.cuh"
#include "../../primitives/exponential.cuh"

#ifndef BLOCK
#define BLOCK 64
#endif

namespace assay {
namespace {

template <typename Element>
struct Params {
  const Element* query;  // all (heads, sequence, head_dim)
  const Element* key;
  const Element* value;
  Element* output;
  int heads;  // of all batches
  int sequence;
  float scale;
  bool causal;
};

template <int kHeadDim, typename Element>
__device__ __forceinline__ float dot(const float (&r_query)[kHeadDim], const Element* g_key) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < kHeadDim; ++i) sum += r_query[i] * to_float(g_key[i]);
  return sum;
}

template <int kHeadDim, typename Element>
__device__ __forceinline__ void attention_forward(const Params<Element>& params) {
  const int64_t row = static_cast<int64_t>(blockIdx.x) * BLOCK + threadIdx.x;  // of all heads
  if (row >= static_cast<int64_t>(params.heads) * params.sequence) return;
  const int query = static_cast<int>(row % params.sequence);
  const int64_t head_offset = (row - query) * kHeadDim;
  const int visible_keys = params.causal ? query + 1 : params.sequence;
  const float scale_log2 = params.scale * kLog2E;

  float r_query[kHeadDim];
  float r_output[kHeadDim];
#pragma unroll
  for (int i = 0; i < kHeadDim; ++i) {
    r_query[i] = to_float(params.query[row * kHeadDim + i]);
    r_output[i] = 0.0f;
  }

  float maximum = -INFINITY;
  float sum = 0.0f;
  for (int key = 0; key < visible_keys; ++key) {
    const int64_t key_offset = head_offset + static_cast<int64_t>(key) * kHeadDim;
    const float score = dot(r_query, params.key + key_offset) * scale_log2;
    const float now = fmaxf(maximum, score);
    const float shrink = exp2_approximate(maximum - now);
    const float probability = exp2_approximate(score - now);
    maximum = now;
    sum = sum * shrink + probability;
#pragma unroll
    for (int i = 0; i < kHeadDim; ++i)
      r_output[i] = r_output[i] * shrink + probability * to_float(params.value[key_offset + i]);
  }

#pragma unroll
  for (int i = 0; i < kHeadDim; ++i) params.output[row * kHeadDim + i] = from_float<Element>(r_output[i] / sum);
}

}  // namespace
}  // namespace assay

#define ATTENTION_ENTRY(dtype, head_dim)                                                                          \
  extern "C" __global__ void __launch_bounds__(BLOCK) attention_##dtype##_d##head_dim(                            \
      const assay::dtype* __restrict__ q, const assay::dtype* __restrict__ k, const assay::dtype* __restrict__ v, \
      assay::dtype* __restrict__ o, int B, int H, int S, float scale, int causal) {                               \
    assay::attention_forward<head_dim, assay::dtype>({q, k, v, o, B * H, S, scale, causal != 0});                 \
  }

ATTENTION_ENTRY(f16, 64)
ATTENTION_ENTRY(f16, 128)
ATTENTION_ENTRY(bf16, 64)
ATTENTION_ENTRY(bf16, 128)
ATTENTION_ENTRY(f32, 64)
ATTENTION_ENTRY(f32, 128)
