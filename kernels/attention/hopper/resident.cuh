// SPDX-License-Identifier: MIT
// Attention with all keys and values of a head in shared memory (up to 512 keys, head_dim 64): no ring of stages and no
// producer. Four warpgroups share the keys as kRowGroups x kKeyGroups: they take different query tiles, or parts of the
// keys of one tile whose results meet in shared memory.
#pragma once

#include "params.hpp"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper::resident {

template <class ElementType, int kRows, int kKeySplits, int kTilesPerGroup, bool kIsCausal>
struct ResidentConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = 64;
  static constexpr int kRowGroups = kRows;
  static constexpr int kKeyGroups = kKeySplits;
  static constexpr int kPasses = kTilesPerGroup;  // query tiles that a row group does one after another
  static constexpr bool kCausal = kIsCausal;

  static constexpr int kKeyBlock = 128;
  static constexpr int kKeyBlocks = 4;
  static constexpr int kKeyCapacity = kKeyBlocks * kKeyBlock;
  static constexpr int kWarpgroups = kRowGroups * kKeyGroups;
  static constexpr int kThreads = kWarpgroups * kWarpgroup;
  static constexpr int kTiles = kRowGroups * kPasses;
  // In floats; 8 more than a row keep the eight rows of a store in distinct banks.
  static constexpr int kPartialStride = kHeadDim + 8;

  static_assert(kKeyGroups == 1 || kPasses == 1, "a second pass would overwrite partial results");

  using Softmax = OnlineSoftmax;

  struct alignas(1024) Shared {
    Element query[kTiles][kTileRows * kHeadDim];
    Element key[kKeyCapacity * kHeadDim];
    Element value[kKeyCapacity * kHeadDim];
    float partial[kKeyGroups > 1 ? kWarpgroups : 0][kTileRows * kPartialStride];
    float reference[kWarpgroups][kTileRows];
    float sum[kWarpgroups][kTileRows];
    Mbarrier query_full[kTiles];
    Mbarrier key_full[kKeyBlocks];
    Mbarrier value_full[kKeyBlocks];
  };
};

// Which query tile a warpgroup takes. Causal tiles get longer with their index, so they are dealt in a snake over the
// blocks of a head and over the passes: every block and every warpgroup ends up with about the same number of keys.
template <class Config>
__device__ __forceinline__ int tile_of(int row_group, int pass) {
  const int blocks = gridDim.x;
  const int block = blockIdx.x;
  if constexpr (!Config::kCausal) return block * Config::kTiles + pass * Config::kRowGroups + row_group;
  const int slot = pass * Config::kRowGroups + (pass % 2 ? Config::kRowGroups - 1 - row_group : row_group);
  return slot * blocks + (slot % 2 ? blocks - 1 - block : block);
}

template <class Config>
__device__ __forceinline__ int keys_of(int tile, const Params& params) {
  if (tile * kTileRows >= params.query_rows) return 0;
  if constexpr (!Config::kCausal) return params.key_rows;
  return max(0, min(params.key_rows, (tile + 1) * kTileRows + params.key_rows - params.query_rows));
}

// Loads by single threads, a key block at a time: what is needed first must not queue behind the rest.
template <class Config>
struct Loader {
  typename Config::Shared& shared;
  const Params& params;
  int key_blocks;  // that any tile of this thread block needs
  int next = Config::kKeyGroups;

  __device__ Loader(typename Config::Shared& s, const Params& p) : shared(s), params(p) {
    int keys = 0;
#pragma unroll
    for (int slot = 0; slot < Config::kTiles; ++slot) {
      keys = max(keys, keys_of<Config>(tile_of<Config>(slot % Config::kRowGroups, slot / Config::kRowGroups), params));
    }
    key_blocks = (keys + Config::kKeyBlock - 1) / Config::kKeyBlock;
  }

  __device__ __forceinline__ int key_head() const {
    const int head = blockIdx.y;
    return params.heads_per_key_head == 1 ? head : head / params.heads_per_key_head;
  }
  __device__ __forceinline__ void load_keys(int block) const {
    shared.key_full[block].expect_bytes(kBlockBytes);
    load_tile(shared.key + block * kBlockElements, params.key,
              {0, block * Config::kKeyBlock, key_head(), static_cast<int>(blockIdx.z)}, shared.key_full[block]);
  }
  __device__ __forceinline__ void load_values(int block) const {
    shared.value_full[block].expect_bytes(kBlockBytes);
    load_tile(shared.value + block * kBlockElements, params.value,
              {0, block * Config::kKeyBlock, key_head(), static_cast<int>(blockIdx.z)}, shared.value_full[block]);
  }
  __device__ __forceinline__ void load_query(int slot) const {
    const int tile = tile_of<Config>(slot % Config::kRowGroups, slot / Config::kRowGroups);
    shared.query_full[slot].expect_bytes(sizeof(shared.query[slot]));
    load_tile(shared.query[slot], params.query,
              {0, tile * kTileRows, static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)},
              shared.query_full[slot]);
  }

  // The first thread of each warpgroup prepares the barriers of its first loads and starts these. The first kKeyGroups
  // key blocks are spread over the warpgroups; the other barriers are prepared by the last one.
  __device__ __forceinline__ void start(int warpgroup) const {
    constexpr bool kOneEach = Config::kKeyGroups <= 2;  // one piece per warpgroup, or keys and values of one block
    const int block = kOneEach ? warpgroup / 2 : warpgroup;
    const bool has_key = block < Config::kKeyGroups && (!kOneEach || warpgroup % 2 == 0);
    const bool has_value = block < Config::kKeyGroups && (!kOneEach || warpgroup % 2 == 1);
    const bool has_query = warpgroup % Config::kKeyGroups == 0;
    const int slot = warpgroup / Config::kKeyGroups;
    if (has_query) shared.query_full[slot].init(1);
    if (has_key) shared.key_full[block].init(1);
    if (has_value) shared.value_full[block].init(1);
    if (warpgroup == Config::kWarpgroups - 1) {
#pragma unroll
      for (int i = Config::kRowGroups; i < Config::kTiles; ++i) shared.query_full[i].init(1);
#pragma unroll
      for (int i = Config::kKeyGroups; i < Config::kKeyBlocks; ++i) {
        shared.key_full[i].init(1);
        shared.value_full[i].init(1);
      }
    }
    publish_mbarriers();
    wait_previous_grid();
    if (has_query) load_query(slot);
    if (has_key && block < key_blocks) load_keys(block);
    if (has_value && block < key_blocks) load_values(block);
  }
  __device__ __forceinline__ void load_until(int block) {
#pragma unroll 1
    for (; next <= block && next < key_blocks; ++next) {
      load_keys(next);
      load_values(next);
    }
  }
  // The query tile that this warpgroup takes after the one in the slot.
  __device__ __forceinline__ void load_query_after(int slot) const {
    if (threadIdx.x % kWarpgroup == 0 && slot + Config::kRowGroups < Config::kTiles) {
      load_query(slot + Config::kRowGroups);
    }
  }

 private:
  static constexpr int kBlockElements = Config::kKeyBlock * Config::kHeadDim;
  static constexpr int kBlockBytes = kBlockElements * sizeof(typename Config::Element);
};

// O and its softmax state for one query tile and every kKeyGroups-th key block.
template <class Config>
__device__ __forceinline__ void attend(typename Config::Shared& shared, const Params& params, int slot, int tile,
                                       int key_group, bool leads, Loader<Config>& loader,
                                       typename Config::Softmax& softmax, float (&output)[Config::kHeadDim / 2]) {
  using Element = typename Config::Element;
  constexpr int kKeyBlock = Config::kKeyBlock;
  const Scale scale{params.scale_log2};
  const RowLimits limits(tile * kTileRows, params.query_rows, params.key_rows, Config::kCausal);
  const int keys = keys_of<Config>(tile, params);
  const int first_masked_key =
      Config::kCausal ? min(keys, tile * kTileRows + 1 + params.key_rows - params.query_rows) : params.key_rows;
#pragma unroll 1
  for (int key = key_group * kKeyBlock; key < keys; key += Config::kKeyGroups * kKeyBlock) {
    const int block = key / kKeyBlock;
    float scores[kKeyBlock / 2];  // (64, key_block)
    shared.key_full[block].wait(0);
    if (leads) loader.load_until(block + Config::kKeyGroups);
    matrix_fence();
    start_scores<Element, Config::kHeadDim, kKeyBlock>(scores, shared.query[slot], shared.key + key * Config::kHeadDim);
    matrix_commit();
    matrix_wait<0>();
    pin(scores);
    if (key + kKeyBlock > first_masked_key) limits.hide(scores, key);

    float shrink[2];
    if (softmax.follow_maximum(scores, scale, shrink)) {
      softmax.shrink_sums(shrink);
      scale_rows(output, shrink);
    }
    softmax.exponentiate(scores, scale);
    Probabilities<Element, kKeyBlock> probabilities;
    probabilities.pack_from(scores);
    shared.value_full[block].wait(0);
    pin(output);
    matrix_fence();
    start_output<Element, Config::kHeadDim, kKeyBlock>(output, probabilities, shared.value + key * Config::kHeadDim);
    matrix_commit();
    matrix_wait<0>();
    pin(output);
  }
  softmax.finish();
}

template <class Config>
__device__ __forceinline__ void write_log_sum_exp(const Params& params, int head, int batch, int row, float value) {
  if (params.g_log_sum_exp != nullptr && row < params.query_rows) {
    params.g_log_sum_exp[(int64_t{batch} * params.query_heads + head) * params.query_rows + row] = value;
  }
}

template <class Config>
__device__ __forceinline__ typename Config::Element* output_tile(const Params& params, int tile, int head, int batch) {
  return static_cast<typename Config::Element*>(params.g_output) + batch * params.output_batch_stride +
         head * params.output_head_stride + int64_t{tile} * kTileRows * params.output_row_stride;
}

// The tile goes out through the shared memory of its queries, which nobody reads any more.
template <class Config>
__device__ __forceinline__ void write_tile(typename Config::Element* s_query, const Params& params, int tile, int head,
                                           int batch, int barrier, const typename Config::Softmax& softmax,
                                           float (&output)[Config::kHeadDim / 2]) {
  const int thread = threadIdx.x % kWarpgroup;
  const int row = tile * kTileRows + thread / 32 * 16 + thread % 32 / 4;
  const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
  scale_rows(output, factor);
  named_barrier_sync(barrier, kWarpgroup);
  stage_output<typename Config::Element, Config::kHeadDim>(output, s_query);
  __syncwarp();
  write_staged_rows<typename Config::Element, Config::kHeadDim>(s_query, output_tile<Config>(params, tile, head, batch),
                                                                params.output_row_stride,
                                                                params.query_rows - tile * kTileRows);
  if (thread % 4 == 0) {
    write_log_sum_exp<Config>(params, head, batch, row, softmax.log_sum_exp(0));
    write_log_sum_exp<Config>(params, head, batch, row + 8, softmax.log_sum_exp(1));
  }
}

// Key groups of one tile meet: each leaves its part with its reference and sum, and each adds up a share of the
// columns, parts weighted by 2^(own reference - common reference) / common sum.
template <class Config>
__device__ __forceinline__ void merge_tile(typename Config::Shared& shared, const Params& params, int tile, int head,
                                           int batch, int row_group, int key_group,
                                           const typename Config::Softmax& softmax,
                                           const float (&output)[Config::kHeadDim / 2]) {
  using Element = typename Config::Element;
  const int thread = threadIdx.x % kWarpgroup;
  const int first = row_group * Config::kKeyGroups;
  const int tile_row = thread / 32 * 16 + thread % 32 / 4;
  float* s_partial = shared.partial[first + key_group];
#pragma unroll
  for (int i = 0; i < Config::kHeadDim / 2; i += 2) {
    *reinterpret_cast<float2*>(s_partial + (tile_row + 8 * row_of(i)) * Config::kPartialStride + column_of(i) +
                               2 * (thread % 4)) = make_float2(output[i], output[i + 1]);
  }
  if (thread % 4 == 0) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      shared.reference[first + key_group][tile_row + 8 * row] = softmax.reference[row];
      shared.sum[first + key_group][tile_row + 8 * row] = softmax.sum[row];
    }
  }
  named_barrier_sync(1 + row_group, Config::kKeyGroups * kWarpgroup);

  constexpr int kColumns = Config::kHeadDim / Config::kKeyGroups / 2;  // two threads per row
  const int row = thread / 2;
  const int first_column = key_group * 2 * kColumns + thread % 2 * kColumns;
  if (tile * kTileRows + row >= params.query_rows) return;
  float weight[Config::kKeyGroups];
  float top = Config::Softmax::kNoReference;
  float total = 0.0f;
#pragma unroll
  for (int group = 0; group < Config::kKeyGroups; ++group) top = fmaxf(top, shared.reference[first + group][row]);
#pragma unroll
  for (int group = 0; group < Config::kKeyGroups; ++group) {
    weight[group] = exp2_special(shared.reference[first + group][row] - top);
    total += shared.sum[first + group][row] * weight[group];
  }
  const bool sees_keys = top > Config::Softmax::kNoReference;
  const float normaliser = sees_keys ? reciprocal(total) : 0.0f;
  Element* g_row = output_tile<Config>(params, tile, head, batch) + row * params.output_row_stride;
  // The two threads of a row read two float4 in opposite order, so that eight lanes touch every bank once.
  const int second_first = thread % 2;
#pragma unroll
  for (int column = first_column; column < first_column + kColumns; column += 8) {
    float values[2][4] = {};
#pragma unroll
    for (int group = 0; group < Config::kKeyGroups; ++group) {
      const auto* s_row =
          reinterpret_cast<const float4*>(shared.partial[first + group] + row * Config::kPartialStride + column);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 part = s_row[half ^ second_first];
        values[half][0] = fmaf(part.x, weight[group], values[half][0]);
        values[half][1] = fmaf(part.y, weight[group], values[half][1]);
        values[half][2] = fmaf(part.z, weight[group], values[half][2]);
        values[half][3] = fmaf(part.w, weight[group], values[half][3]);
      }
    }
    uint2 packed[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      packed[half] = make_uint2(pack<Element>(values[half][0] * normaliser, values[half][1] * normaliser),
                                pack<Element>(values[half][2] * normaliser, values[half][3] * normaliser));
    }
    const uint2 low = second_first ? packed[1] : packed[0];
    const uint2 high = second_first ? packed[0] : packed[1];
    *reinterpret_cast<uint4*>(g_row + column) = make_uint4(low.x, low.y, high.x, high.y);
  }
  if (key_group == 0 && thread % 2 == 0) {
    write_log_sum_exp<Config>(params, head, batch, tile * kTileRows + row,
                              sees_keys ? kLn2 * (top + log2_special(total)) : -INFINITY);
  }
}

// `params` must be a parameter of the kernel: TMA reads the tensor maps where they lie.
template <class Config>
__device__ __forceinline__ void run_resident(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  const int head = blockIdx.y;
  const int batch = blockIdx.z;
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  const int row_group = warpgroup / Config::kKeyGroups;
  const int key_group = warpgroup % Config::kKeyGroups;
  // The last row group has the longest tile of the first pass: it leads.
  const bool leads = threadIdx.x == Config::kThreads - kWarpgroup;
  allow_next_grid();
  Loader<Config> loader(shared, params);
  if (threadIdx.x % kWarpgroup == 0) loader.start(warpgroup);
  __syncthreads();

#pragma unroll 1
  for (int pass = 0; pass < Config::kPasses; ++pass) {
    const int slot = pass * Config::kRowGroups + row_group;
    const int tile = tile_of<Config>(row_group, pass);
    const bool exists = tile * kTileRows < params.query_rows;
    typename Config::Softmax softmax;
    float output[Config::kHeadDim / 2];
#pragma unroll
    for (int i = 0; i < Config::kHeadDim / 2; ++i) output[i] = 0.0f;
    shared.query_full[slot].wait(0);  // also without keys: the output is staged where the queries arrive
    loader.load_query_after(slot);
    if (exists) attend<Config>(shared, params, slot, tile, key_group, leads, loader, softmax, output);
    if (leads) loader.load_until(Config::kKeyBlocks);
    if (!exists) continue;
    if constexpr (Config::kKeyGroups == 1) {
      write_tile<Config>(shared.query[slot], params, tile, head, batch, 1 + warpgroup, softmax, output);
    } else {
      merge_tile<Config>(shared, params, tile, head, batch, row_group, key_group, softmax, output);
    }
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) resident_attention(const __grid_constant__ Params params) {
  run_resident<Config>(params);
}

}  // namespace assay::attention::hopper::resident
