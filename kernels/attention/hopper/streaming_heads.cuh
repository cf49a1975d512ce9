// SPDX-License-Identifier: MIT
// Attention for at most 64 queries of each of many heads: a persistent grid as in streaming.cuh, but each of the two
// consumer warpgroups has a head of its own, so that none is without rows.
//
//   block      two heads at a time; the next ones follow without a gap
//   producer   streams the key blocks of both heads through one ring, in turns
//   consumer   the 64 rows of its head against every second place of the ring; it writes them from registers
//
// Where one head is left over, the second warpgroup goes through its keys as well and writes nothing.
#pragma once

#include "streaming_block.cuh"
#include "streaming_consumer.cuh"

namespace assay::attention::hopper {

template <class ElementType, int kHeadDimension, int kKeyBlockRows, int kStageCount>
struct StreamingHeadsConfig : StreamingBlock<ElementType, kHeadDimension, 2, kKeyBlockRows, kStageCount, 1, 2> {
  using Block = StreamingBlock<ElementType, kHeadDimension, 2, kKeyBlockRows, kStageCount, 1, 2>;
  using Shared = StreamingShared<Block, TileWork>;
  static constexpr bool kCausal = false;
  static constexpr int kProducerRegisters = 40;
  static constexpr int kConsumerRegisters = 232;
};

template <class Config>
struct StreamingHeadsProducer {
  using Element = typename Config::Element;
  static constexpr int kHeads = Config::kConsumers;  // at a time

  typename Config::Shared& shared;
  const Params& params;
  KeyValueLoader<Config> keys_and_values{shared, params};
  int step = 0;  // in the block's list of pairs of heads

  __device__ __forceinline__ void run() {
    const int heads = params.query_heads * params.batch;
    const int last_block = (params.key_rows + Config::kKeyBlock - 1) / Config::kKeyBlock - 1;
    int first = kHeads * static_cast<int>(blockIdx.x);
    load_keys(first, last_block);
    request_queries(first);
#pragma unroll 1
    while (first < heads) {
      const int next = first + kHeads * static_cast<int>(gridDim.x);
#pragma unroll 1
      for (int block = last_block; block >= 0; --block) {
#pragma unroll
        for (int group = 0; group < kHeads; ++group) {
          if (block > 0) load_key(first + group, block - 1);
          load_value(first + group, block);
        }
      }
      ++step;
      if (next < heads) load_keys(next, last_block);
      request_queries(next);
      first = next;
    }
  }

 private:
  __device__ __forceinline__ void load_keys(int first, int block) {
#pragma unroll
    for (int group = 0; group < kHeads; ++group) load_key(first + group, block);
  }
  __device__ __forceinline__ void load_key(int number, int block) {
    const TileWork work = work_of(number);
    keys_and_values.load_key(block, work.head, work.batch);
  }
  __device__ __forceinline__ void load_value(int number, int block) {
    const TileWork work = work_of(number);
    keys_and_values.load_value(block, work.head, work.batch);
  }

  // Of a head that does not exist, the keys of the last one.
  __device__ __forceinline__ TileWork work_of(int number) const {
    const int head = min(number, params.query_heads * params.batch - 1);
    return {0, head % params.query_heads, head / params.query_heads};
  }

  // Of the heads from `first` on; behind the last one this is the end.
  __device__ __forceinline__ void request_queries(int first) {
    const int heads = params.query_heads * params.batch;
    const int parity = step % 2;
#pragma unroll 1
    for (int group = 0; group < kHeads; ++group) {
      Mbarrier& full = shared.query_full[group];
      shared.query_empty[group].wait(static_cast<uint32_t>(parity) ^ 1);
      TileWork work = work_of(first + group);
      if (first >= heads) work.tile = -1;
      if (first < heads && first + group >= heads) work.head = -1 - work.head;  // its output is not wanted
      shared.work[2 * group + parity] = work;
      if (first >= heads) {
        full.arrive();
        continue;
      }
      const TileWork there = work_of(first + group);
      full.expect_bytes(kTileRows * Config::kStoredColumns * sizeof(Element));
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        load_tile(shared.query[0][group] + panel * kTileRows * kPanelColumns, params.query,
                  {panel * kPanelColumns, 0, there.head, there.batch}, full);
      }
    }
  }
};

// `params` must be a parameter of the kernel: TMA reads the tensor maps where they lie.
template <class Config>
__device__ __forceinline__ void run_streaming_heads(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
  if (threadIdx.x == 0) {
    prefetch_map(params.query);
    prefetch_map(params.key);
    prefetch_map(params.value);
    shared.init_barriers();
    wait_previous_grid();
  }
  __syncthreads();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kProducerRegisters>();
    if (threadIdx.x == 0) StreamingHeadsProducer<Config>{shared, params}.run();
  } else {
    grow_registers<Config::kConsumerRegisters>();
    wait_previous_grid();
    StreamingConsumer<Config> consumer{{shared, params, warpgroup - 1, {warpgroup - 1}}};
    if (warpgroup == 2) consumer.cursor.value.advance();
    consumer.run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1)
    streaming_heads_attention(const __grid_constant__ Params params) {
  run_streaming_heads<Config>(params);
}

}  // namespace assay::attention::hopper
