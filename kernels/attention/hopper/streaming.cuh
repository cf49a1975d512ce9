// SPDX-License-Identifier: MIT
// Attention for any number of keys: a producer warp streams key and value blocks through a ring of stages, consumer
// warpgroups of 64 query rows each overlap the softmax of one block with the products of its neighbours. Persistent:
// one block per multiprocessor walks a fixed list of tiles, so that the next tile's loads run under this one's end.
#pragma once

#include "schedule.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

template <class ElementType, int kHeadDimension, int kConsumerGroups, int kKeyBlockRows, int kStageCount,
          bool kIsOrdered, bool kIsCausal>
struct StreamingConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kConsumers = kConsumerGroups;
  static constexpr int kKeyBlock = kKeyBlockRows;
  static constexpr int kStages = kStageCount;
  static constexpr bool kOrdered = kIsOrdered;  // warpgroups take turns at issuing products
  static constexpr bool kCausal = kIsCausal;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kRows = kConsumers * kTileRows;
  static constexpr int kPanels = kHeadDim / kPanelColumns;
  static constexpr int kProducerRegisters = kConsumers == 2 ? 24 : 32;
  static constexpr int kConsumerRegisters = kConsumers == 2 ? 240 : 160;

  struct alignas(1024) Shared {
    Element query[kConsumers][kTileRows * kHeadDim];
    Element key[kStages][kKeyBlock * kHeadDim];
    Element value[kStages][kKeyBlock * kHeadDim];
    Element output[kConsumers][kTileRows * kHeadDim];
    Mbarrier query_full;
    Mbarrier query_empty;
    Mbarrier key_full[kStages];
    Mbarrier key_empty[kStages];
    Mbarrier value_full[kStages];
    Mbarrier value_empty[kStages];
  };
};

// PTX ISA "setmaxnreg"
template <int kRegisters>
__device__ __forceinline__ void shrink_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void grow_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

template <class Config>
__device__ __forceinline__ void produce(typename Config::Shared& shared, const Params& params) {
  using Element = typename Config::Element;
  constexpr int kBlockBytes = Config::kKeyBlock * Config::kHeadDim * sizeof(Element);
  RingCursor<Config::kStages> key_cursor;
  RingCursor<Config::kStages> value_cursor;
  uint32_t query_parity = 0;
  TileWork work;
#pragma unroll 1
  for (int step = 0; next_work<Config>(params, step, work); ++step) {
    if (work.key_blocks <= 0) continue;
    const int key_head = work.head / params.heads_per_key_head;
    auto load_block = [&](Element* s_block, const CUtensorMap& map, int block, Mbarrier& full) {
      full.expect_bytes(kBlockBytes);
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        load_tile(s_block + panel * Config::kKeyBlock * kPanelColumns, map,
                  {panel * kPanelColumns, block * Config::kKeyBlock, key_head, work.batch}, full);
      }
    };
    auto load_key = [&](int block) {
      shared.key_empty[key_cursor.stage].wait(key_cursor.parity ^ 1);
      load_block(shared.key[key_cursor.stage], params.key, block, shared.key_full[key_cursor.stage]);
      key_cursor.advance();
    };
    shared.query_empty.wait(query_parity ^ 1);
    query_parity ^= 1;
    shared.query_full.expect_bytes(Config::kRows * Config::kHeadDim * sizeof(Element));
#pragma unroll
    for (int group = 0; group < Config::kConsumers; ++group) {
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        load_tile(shared.query[group] + panel * kTileRows * kPanelColumns, params.query,
                  {panel * kPanelColumns, work.tile * Config::kRows + group * kTileRows, work.head, work.batch},
                  shared.query_full);
      }
    }
    load_key(work.key_blocks - 1);
#pragma unroll 1
    for (int block = work.key_blocks - 1; block >= 0; --block) {
      if (block > 0) load_key(block - 1);
      shared.value_empty[value_cursor.stage].wait(value_cursor.parity ^ 1);
      load_block(shared.value[value_cursor.stage], params.value, block, shared.value_full[value_cursor.stage]);
      value_cursor.advance();
    }
  }
}

// Named barriers: 0 is __syncthreads, then one per consumer for its turn, then one per consumer for its own warps.
template <class Config>
struct RingTurns {
  int group;

  __device__ void take() const {
    if constexpr (Config::kOrdered) named_barrier_sync(1 + group, 2 * kWarpgroup);
  }
  __device__ void pass() const {
    if constexpr (Config::kOrdered) named_barrier_arrive(1 + (group + 1) % Config::kConsumers, 2 * kWarpgroup);
  }
};

template <class Config>
struct Consumer {
  using Element = typename Config::Element;
  using Softmax = OnlineSoftmax;

  typename Config::Shared& shared;
  const Params& params;
  int group;
  RingTurns<Config> turns;
  RingCursor<Config::kStages> key_cursor;
  RingCursor<Config::kStages> value_cursor;
  uint32_t query_parity = 0;

  __device__ void release(Mbarrier& empty) const {
    if (threadIdx.x % 32 == 0) empty.arrive();
  }

  __device__ __forceinline__ void start_block_scores(float (&scores)[Config::kKeyBlock / 2]) {
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(scores, shared.query[group],
                                                               shared.key[key_cursor.stage]);
    matrix_commit();
  }

  // The softmax of a block runs under the output product of the block before.
  __device__ __forceinline__ void attend(const TileWork& work, Softmax& softmax,
                                         float (&output)[Config::kHeadDim / 2]) {
    const Scale scale{params.scale_log2};
    const int first_row = work.tile * Config::kRows + group * kTileRows;
    const RowLimits limits(first_row, params.query_rows, params.key_rows, Config::kCausal);
    const int first_masked_key =
        Config::kCausal ? min(params.key_rows, first_row + 1 + params.key_rows - params.query_rows) : params.key_rows;
    auto hide = [&](float(&scores)[Config::kKeyBlock / 2], int block) {
      if ((block + 1) * Config::kKeyBlock > first_masked_key) limits.hide(scores, block * Config::kKeyBlock);
    };
    float scores[Config::kKeyBlock / 2];  // (64, key_block)
    float shrink[2];
    Probabilities<Element, Config::kKeyBlock> probabilities;
    int block = work.key_blocks - 1;

    shared.query_full.wait(query_parity);
    query_parity ^= 1;
    shared.key_full[key_cursor.stage].wait(key_cursor.parity);
    pin(scores);
    matrix_fence();
    start_block_scores(scores);
    matrix_wait<0>();
    pin(scores);
    release(shared.key_empty[key_cursor.stage]);
    key_cursor.advance();
    hide(scores, block);
    softmax.follow_maximum(scores, scale, shrink);
    softmax.exponentiate(scores, scale);
    probabilities.pack_from(scores);

#pragma unroll 1
    for (; block > 0; --block) {
      shared.key_full[key_cursor.stage].wait(key_cursor.parity);
      turns.take();
      pin(scores);
      pin(output);
      matrix_fence();
      start_block_scores(scores);
      shared.value_full[value_cursor.stage].wait(value_cursor.parity);
      matrix_fence();
      start_output<Element, Config::kHeadDim, Config::kKeyBlock>(output, probabilities,
                                                                 shared.value[value_cursor.stage]);
      matrix_commit();
      turns.pass();
      matrix_wait<1>();
      pin(scores);
      release(shared.key_empty[key_cursor.stage]);
      key_cursor.advance();
      hide(scores, block - 1);
      const bool moved = softmax.follow_maximum(scores, scale, shrink);
      softmax.exponentiate(scores, scale);
      matrix_wait<0>();
      pin(output);
      release(shared.value_empty[value_cursor.stage]);
      value_cursor.advance();
      probabilities.pack_from(scores);
      if (moved) scale_rows(output, shrink);
    }
    release(shared.query_empty);
    shared.value_full[value_cursor.stage].wait(value_cursor.parity);
    pin(output);
    matrix_fence();
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(output, probabilities, shared.value[value_cursor.stage]);
    matrix_commit();
    matrix_wait<0>();
    pin(output);
    release(shared.value_empty[value_cursor.stage]);
    value_cursor.advance();
  }

  __device__ __forceinline__ void write(const TileWork& work, Softmax& softmax, float (&output)[Config::kHeadDim / 2]) {
    const int thread = threadIdx.x % kWarpgroup;
    const int barrier = 1 + Config::kConsumers + group;
    const int first_row = work.tile * Config::kRows + group * kTileRows;
    softmax.finish();
    if (params.g_log_sum_exp != nullptr && thread % 4 == 0) {
#pragma unroll
      for (int row = 0; row < 2; ++row) {
        const int query_row = first_row + thread / 32 * 16 + thread % 32 / 4 + 8 * row;
        if (query_row < params.query_rows) {
          params.g_log_sum_exp[(int64_t{work.batch} * params.query_heads + work.head) * params.query_rows + query_row] =
              softmax.log_sum_exp(row);
        }
      }
    }
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(output, factor);
    if (thread == 0) wait_stores_read();
    named_barrier_sync(barrier, kWarpgroup);
    stage_output<Element, Config::kHeadDim>(output, shared.output[group]);
    publish_to_copy_engine();
    named_barrier_sync(barrier, kWarpgroup);
    if (thread == 0 && first_row < params.query_rows) {
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        store_tile(params.output, shared.output[group] + panel * kTileRows * kPanelColumns,
                   {panel * kPanelColumns, first_row, work.head, work.batch});
      }
      commit_stores();
    }
  }

  __device__ __forceinline__ void run() {
    if (group == Config::kConsumers - 1) turns.pass();
    TileWork work;
#pragma unroll 1
    for (int step = 0; next_work<Config>(params, step, work); ++step) {
      if (work.key_blocks < 0) continue;
      Softmax softmax;
      float output[Config::kHeadDim / 2];
#pragma unroll
      for (int i = 0; i < Config::kHeadDim / 2; ++i) output[i] = 0.0f;
      if (work.key_blocks > 0) attend(work, softmax, output);
      write(work, softmax, output);
    }
    if (group == 0) turns.take();
    if (threadIdx.x % kWarpgroup == 0) wait_stores_read();
  }
};

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) streaming_attention(const __grid_constant__ Params params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  if (threadIdx.x == 0) {
    prefetch_map(params.query);
    prefetch_map(params.key);
    prefetch_map(params.value);
    prefetch_map(params.output);
    shared.query_full.init(1);
    shared.query_empty.init(Config::kConsumers * 4);
    for (int stage = 0; stage < Config::kStages; ++stage) {
      shared.key_full[stage].init(1);
      shared.key_empty[stage].init(Config::kConsumers * 4);
      shared.value_full[stage].init(1);
      shared.value_empty[stage].init(Config::kConsumers * 4);
    }
    publish_mbarriers();
  }
  __syncthreads();
  allow_next_grid();
  wait_previous_grid();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kProducerRegisters>();
    if (threadIdx.x == 0) produce<Config>(shared, params);
  } else {
    grow_registers<Config::kConsumerRegisters>();
    Consumer<Config> consumer{shared, params, warpgroup - 1, {warpgroup - 1}, {}, {}};
    consumer.run();
  }
}

}  // namespace assay::attention::hopper
