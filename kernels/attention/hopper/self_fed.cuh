// SPDX-License-Identifier: MIT
// Attention for any number of keys at head_dim 64: four warpgroups of 64 query rows, which need all registers, so that
// none is left for a producer. One thread of the last warpgroup requests key and value blocks two ahead of its own
// work. Persistent: the next tile's queries and first keys are loaded under the end of this one.
#pragma once

#include "schedule.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper::self_fed {

template <class ElementType, bool kIsCausal>
struct SelfFedConfig {
  using Element = ElementType;
  static constexpr bool kCausal = kIsCausal;
  static constexpr int kHeadDim = 64;
  static constexpr int kWarpgroups = 4;
  static constexpr int kThreads = kWarpgroups * kWarpgroup;
  static constexpr int kRows = kWarpgroups * kTileRows;
  static constexpr int kKeyBlock = 128;
  static constexpr int kStages = 4;
  static constexpr int kAhead = 2;  // blocks requested before the one at work; the other stages may still be in use

  using Softmax = OnlineSoftmax;

  // What the requesting thread knows between two requests. In shared memory because registers are short.
  struct Requests {
    int step;
    int block;  // next to request, counting down; -1: none left
    TileWork work;
    RingCursor<kStages> cursor;
  };

  struct alignas(1024) Shared {
    Element query[2][kWarpgroups][kTileRows * kHeadDim];  // this tile's and the next one's
    Element key[kStages][kKeyBlock * kHeadDim];
    Element value[kStages][kKeyBlock * kHeadDim];
    Mbarrier query_full[2][kWarpgroups];
    Mbarrier key_full[kStages];
    Mbarrier value_full[kStages];
    Mbarrier empty[kStages];
    Requests requests;
  };
};

// Finds the next step that has keys.
template <class Config>
__device__ __forceinline__ void find_keys(const Params& params, typename Config::Requests& requests) {
  requests.block = -1;
  while (next_work<Config>(params, requests.step, requests.work)) {
    ++requests.step;
    if (requests.work.key_blocks > 0) {
      requests.block = requests.work.key_blocks - 1;
      return;
    }
  }
}

// Requests one block of keys and values, once its stage is free.
template <class Config>
__device__ __forceinline__ void request_block(typename Config::Shared& shared, const Params& params) {
  using Element = typename Config::Element;
  constexpr int kBytes = Config::kKeyBlock * Config::kHeadDim * sizeof(Element);
  typename Config::Requests requests = shared.requests;
  if (requests.block < 0) return;
  const int stage = requests.cursor.stage;
  const int key_head = requests.work.head / params.heads_per_key_head;
  const TileOrigin origin{0, requests.block * Config::kKeyBlock, key_head, requests.work.batch};
  shared.empty[stage].wait(requests.cursor.parity ^ 1);
  shared.key_full[stage].expect_bytes(kBytes);
  load_tile(shared.key[stage], params.key, origin, shared.key_full[stage]);
  shared.value_full[stage].expect_bytes(kBytes);
  load_tile(shared.value[stage], params.value, origin, shared.value_full[stage]);
  requests.cursor.advance();
  if (--requests.block < 0) find_keys<Config>(params, requests);
  shared.requests = requests;
}

template <class Config>
__device__ __forceinline__ void request_query(typename Config::Shared& shared, const Params& params, int warpgroup,
                                              int step) {
  TileWork work;
  if (!next_work<Config>(params, step, work) || work.key_blocks <= 0) return;
  auto* s_query = shared.query[step % 2][warpgroup];
  shared.query_full[step % 2][warpgroup].expect_bytes(sizeof(shared.query[0][0]));
  load_tile(s_query, params.query, {0, work.tile * Config::kRows + warpgroup * kTileRows, work.head, work.batch},
            shared.query_full[step % 2][warpgroup]);
}

template <class Config>
struct Worker {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;
  int warpgroup;
  bool requests;  // this thread asks for keys
  RingCursor<Config::kStages> cursor;
  uint32_t query_parity = 0;  // one bit per query buffer

  __device__ __forceinline__ void attend(const TileWork& work, const Element* s_query,
                                         typename Config::Softmax& softmax, float (&output)[Config::kHeadDim / 2]) {
    const Scale scale{params.scale_log2};
    const int first_row = work.tile * Config::kRows + warpgroup * kTileRows;
    const RowLimits limits(first_row, params.query_rows, params.key_rows, Config::kCausal);
    const int diagonal = first_row + params.key_rows - params.query_rows;
    const int first_masked_key = Config::kCausal ? min(params.key_rows, diagonal + 1) : params.key_rows;
#pragma unroll 1
    for (int key = (work.key_blocks - 1) * Config::kKeyBlock; key >= 0; key -= Config::kKeyBlock) {
      if (requests) request_block<Config>(shared, params);
      __syncwarp();
      shared.key_full[cursor.stage].wait(cursor.parity);
      if (!Config::kCausal || key < diagonal + kTileRows) {
        float scores[Config::kKeyBlock / 2];  // (64, key_block)
        float shrink[2];
        Probabilities<Element, Config::kKeyBlock> probabilities;
        matrix_fence();
        start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(scores, s_query, shared.key[cursor.stage]);
        matrix_commit();
        matrix_wait<0>();
        pin(scores);
        if (key + Config::kKeyBlock > first_masked_key) limits.hide(scores, key);
        if (softmax.follow_maximum(scores, scale, shrink)) scale_rows(output, shrink);
        softmax.exponentiate(scores, scale);
        probabilities.pack_from(scores);
        shared.value_full[cursor.stage].wait(cursor.parity);
        pin(output);
        matrix_fence();
        start_output<Element, Config::kHeadDim, Config::kKeyBlock>(output, probabilities, shared.value[cursor.stage]);
        matrix_commit();
        matrix_wait<0>();
        pin(output);
      } else {
        shared.value_full[cursor.stage].wait(cursor.parity);
      }
      if (threadIdx.x % 32 == 0) shared.empty[cursor.stage].arrive();
      cursor.advance();
    }
  }

  // The tile goes out through the shared memory of its queries.
  __device__ __forceinline__ void write(const TileWork& work, Element* s_stage, typename Config::Softmax& softmax,
                                        float (&output)[Config::kHeadDim / 2]) {
    const int thread = threadIdx.x % kWarpgroup;
    const int first_row = work.tile * Config::kRows + warpgroup * kTileRows;
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4;
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(output, factor);
    named_barrier_sync(1 + warpgroup, kWarpgroup);
    stage_output<Element, Config::kHeadDim>(output, s_stage);
    __syncwarp();
    auto* g_tile = static_cast<Element*>(params.g_output) + work.batch * params.output_batch_stride +
                   work.head * params.output_head_stride + first_row * params.output_row_stride;
    write_staged_rows<Element, Config::kHeadDim>(s_stage, g_tile, params.output_row_stride,
                                                 params.query_rows - first_row);
    if (params.g_log_sum_exp != nullptr && thread % 4 == 0) {
      float* g_lse = params.g_log_sum_exp + (int64_t{work.batch} * params.query_heads + work.head) * params.query_rows;
      if (row < params.query_rows) g_lse[row] = softmax.log_sum_exp(0);
      if (row + 8 < params.query_rows) g_lse[row + 8] = softmax.log_sum_exp(1);
    }
    publish_to_copy_engine();  // the next queries arrive where these rows were staged
    named_barrier_sync(1 + warpgroup, kWarpgroup);
  }

  __device__ __forceinline__ void run() {
    TileWork work;
#pragma unroll 1
    for (int step = 0; next_work<Config>(params, step, work); ++step) {
      if (threadIdx.x % kWarpgroup == 0) request_query<Config>(shared, params, warpgroup, step + 1);
      if (work.key_blocks < 0) continue;
      typename Config::Softmax softmax;
      float output[Config::kHeadDim / 2];
#pragma unroll
      for (int i = 0; i < Config::kHeadDim / 2; ++i) output[i] = 0.0f;
      const int buffer = step % 2;
      auto* s_query = shared.query[buffer][warpgroup];
      if (work.key_blocks > 0) {
        shared.query_full[buffer][warpgroup].wait(query_parity >> buffer & 1);
        query_parity ^= 1u << buffer;
        attend(work, s_query, softmax, output);
      }
      // Found again rather than kept in registers over the loop; the empty statement hides that it is the same step.
      asm volatile("" : "+r"(step));
      next_work<Config>(params, step, work);
      write(work, s_query, softmax, output);
    }
  }
};

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) self_fed_attention(const __grid_constant__ Params params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  const bool requests = threadIdx.x == Config::kThreads - kWarpgroup;
  if (requests) {
    for (int i = 0; i < Config::kWarpgroups; ++i) {
      shared.query_full[0][i].init(1);
      shared.query_full[1][i].init(1);
    }
    for (int stage = 0; stage < Config::kStages; ++stage) {
      shared.key_full[stage].init(1);
      shared.value_full[stage].init(1);
      shared.empty[stage].init(Config::kThreads / 32);
    }
    publish_mbarriers();
    typename Config::Requests first{};
    find_keys<Config>(params, first);
    shared.requests = first;
  }
  __syncthreads();
  allow_next_grid();
  wait_previous_grid();
  if (threadIdx.x % kWarpgroup == 0) request_query<Config>(shared, params, warpgroup, 0);
  if (requests) {
    for (int i = 0; i < Config::kAhead; ++i) request_block<Config>(shared, params);
  }
  __syncwarp();
  Worker<Config>{shared, params, warpgroup, requests, {}}.run();
}

}  // namespace assay::attention::hopper::self_fed
