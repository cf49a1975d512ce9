// SPDX-License-Identifier: MIT
// The second step of the ladder: keys and values are brought to shared memory once per block of threads and used by
// BLOCK_M queries. Arithmetic stays in float on the ordinary cores. Four lanes share a query row, each owning every
// fourth group of four columns: a quarter of the registers per thread, and four lanes read 4 consecutive groups of a
// key row, while the eight rows of a warp read the same ones (broadcast): no bank conflicts.
#include "../../primitives/element.cuh"
#include "../../primitives/exponential.cuh"

#ifndef BLOCK_M
#define BLOCK_M 32
#endif
#ifndef BLOCK_N
#define BLOCK_N 32
#endif

namespace assay {
namespace {

constexpr int kLanesPerRow = 4;
constexpr int kGroup = 4;       // neighbouring columns of one lane
constexpr int kKeysAtOnce = 8;  // scores that a thread holds before it updates maximum, sum and output
constexpr int kThreads = BLOCK_M * kLanesPerRow;
constexpr unsigned kWholeWarp = 0xffffffffu;
static_assert(BLOCK_N % kKeysAtOnce == 0, "BLOCK_N must be a multiple of 8");

template <typename Element>
struct Params {
  const Element* query;  // all (heads, sequence, head_dim)
  const Element* key;
  const Element* value;
  Element* output;
  int sequence;
  float scale;
  bool causal;
};

template <typename Element>
struct alignas(kGroup * sizeof(Element)) Group {
  Element value[kGroup];
};

// Rows from `rows` on become zero.
template <int kHeadDim, typename Element>
__device__ __forceinline__ void load_tile(Group<Element>* s_tile, const Element* g_tile, int rows) {
  constexpr int kRowGroups = kHeadDim / kGroup;
  for (int i = threadIdx.x; i < BLOCK_N * kRowGroups; i += kThreads) {
    Group<Element> group;
#pragma unroll
    for (int j = 0; j < kGroup; ++j) group.value[j] = from_float<Element>(0.0f);
    if (i / kRowGroups < rows) group = reinterpret_cast<const Group<Element>*>(g_tile)[i];
    s_tile[i] = group;
  }
}

// One lane's quarter of a query row.
template <typename Element, int kHeadDim>
class QueryRow {
  static constexpr int kGroups = kHeadDim / kGroup / kLanesPerRow;
  static constexpr int kRowGroups = kHeadDim / kGroup;
  using Quarter = float[kGroups][kGroup];

 public:
  // The scale and log2(e) enter once, here.
  __device__ __forceinline__ QueryRow(const Element* g_query, int member, float scale_log2) : member_(member) {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      const Group<Element> group = reinterpret_cast<const Group<Element>*>(g_query)[i * kLanesPerRow + member_];
#pragma unroll
      for (int j = 0; j < kGroup; ++j) {
        r_query_[i][j] = to_float(group.value[j]) * scale_log2;
        r_output_[i][j] = 0.0f;
      }
    }
  }

  // kKeysAtOnce rows of the tiles, of which the first `visible` are seen.
  __device__ __forceinline__ void absorb(const Group<Element>* s_key, const Group<Element>* s_value, int visible) {
    float score[kKeysAtOnce];
    float now = maximum_;
#pragma unroll
    for (int key = 0; key < kKeysAtOnce; ++key) {
      const float product = sum_over_lanes(partial_dot(s_key + key * kRowGroups));
      score[key] = key < visible ? product : -INFINITY;
      now = fmaxf(now, score[key]);
    }
    const float shrink = exp2_approximate(maximum_ - now);
    maximum_ = now;
    sum_ *= shrink;
#pragma unroll
    for (int i = 0; i < kGroups; ++i)
#pragma unroll
      for (int j = 0; j < kGroup; ++j) r_output_[i][j] *= shrink;
#pragma unroll
    for (int key = 0; key < kKeysAtOnce; ++key) {
      const float probability = exp2_approximate(score[key] - now);
      sum_ += probability;
      add_values(probability, s_value + key * kRowGroups);
    }
  }

  __device__ __forceinline__ void store(Element* g_output) const {
    const float normalizer = 1.0f / sum_;
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      Group<Element> group;
#pragma unroll
      for (int j = 0; j < kGroup; ++j) group.value[j] = from_float<Element>(r_output_[i][j] * normalizer);
      reinterpret_cast<Group<Element>*>(g_output)[i * kLanesPerRow + member_] = group;
    }
  }

 private:
  __device__ __forceinline__ float partial_dot(const Group<Element>* s_key) const {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      const Group<Element> group = s_key[i * kLanesPerRow + member_];
#pragma unroll
      for (int j = 0; j < kGroup; ++j) sum += r_query_[i][j] * to_float(group.value[j]);
    }
    return sum;
  }

  __device__ __forceinline__ static float sum_over_lanes(float value) {
    value += __shfl_xor_sync(kWholeWarp, value, 1);
    return value + __shfl_xor_sync(kWholeWarp, value, 2);
  }

  __device__ __forceinline__ void add_values(float probability, const Group<Element>* s_value) {
#pragma unroll
    for (int i = 0; i < kGroups; ++i) {
      const Group<Element> group = s_value[i * kLanesPerRow + member_];
#pragma unroll
      for (int j = 0; j < kGroup; ++j) r_output_[i][j] += probability * to_float(group.value[j]);
    }
  }

  int member_;
  Quarter r_query_;
  Quarter r_output_;
  float maximum_ = -INFINITY;
  float sum_ = 0.0f;
};

template <int kHeadDim, typename Element>
__device__ __forceinline__ void attention_forward(const Params<Element>& params) {
  extern __shared__ __align__(1024) char s_memory[];
  auto* s_key = reinterpret_cast<Group<Element>*>(s_memory);  // (BLOCK_N, head_dim)
  auto* s_value = s_key + BLOCK_N * kHeadDim / kGroup;        // (BLOCK_N, head_dim)

  const int query_blocks = (params.sequence + BLOCK_M - 1) / BLOCK_M;
  const int first_query = static_cast<int>(blockIdx.x) % query_blocks * BLOCK_M;
  const int64_t head = blockIdx.x / query_blocks;
  const int64_t head_offset = head * params.sequence * kHeadDim;
  const int query = first_query + static_cast<int>(threadIdx.x) / kLanesPerRow;
  const bool exists = query < params.sequence;  // threads of a missing row help to load, and repeat the last row
  const int64_t row_offset = head_offset + static_cast<int64_t>(exists ? query : params.sequence - 1) * kHeadDim;

  const int visible_keys = params.causal ? min(query + 1, params.sequence) : params.sequence;
  const int end_key = params.causal ? min(first_query + BLOCK_M, params.sequence) : params.sequence;

  QueryRow<Element, kHeadDim> row(params.query + row_offset, threadIdx.x % kLanesPerRow, params.scale * kLog2E);
  for (int first_key = 0; first_key < end_key; first_key += BLOCK_N) {
    const int64_t tile_offset = head_offset + static_cast<int64_t>(first_key) * kHeadDim;
    load_tile<kHeadDim>(s_key, params.key + tile_offset, params.sequence - first_key);
    load_tile<kHeadDim>(s_value, params.value + tile_offset, params.sequence - first_key);
    __syncthreads();
    // The first group of keys is never hidden from anybody, so that the maximum is finite from then on.
    for (int key = 0; key < BLOCK_N && first_key + key < end_key; key += kKeysAtOnce) {
      const int offset = key * kHeadDim / kGroup;
      row.absorb(s_key + offset, s_value + offset, visible_keys - first_key - key);
    }
    __syncthreads();
  }
  if (exists) row.store(params.output + row_offset);
}

}  // namespace
}  // namespace assay

#define ATTENTION_ENTRY(dtype, head_dim)                                                                          \
  extern "C" __global__ void __launch_bounds__(assay::kThreads) attention_##dtype##_d##head_dim(                  \
      const assay::dtype* __restrict__ q, const assay::dtype* __restrict__ k, const assay::dtype* __restrict__ v, \
      assay::dtype* __restrict__ o, int B, int H, int S, float scale, int causal) {                               \
    (void)B, (void)H; /* the grid says how many heads there are */                                                \
    assay::attention_forward<head_dim, assay::dtype>({q, k, v, o, S, scale, causal != 0});                        \
  }

ATTENTION_ENTRY(f16, 64)
ATTENTION_ENTRY(f16, 128)
ATTENTION_ENTRY(bf16, 64)
ATTENTION_ENTRY(bf16, 128)
ATTENTION_ENTRY(f32, 64)
ATTENTION_ENTRY(f32, 128)
