// SPDX-License-Identifier: MIT
// Attention for few tiles of queries and many keys: the keys of a tile are shared out to the blocks of a cluster.
//
//   cluster   one tile of 128 rows: of one head, or few rows each of several heads that share a key head
//   block     its share of the key blocks, in the order of streaming.cuh: a producer thread streams keys and
//             values, two consumer warpgroups of 64 rows overlap the softmax of one block with the products of others
//   end       the blocks merge what they found through distributed shared memory (split_merge.cuh)
//
// Where the rows of a group fill half a tile, both warpgroups have the same 64 rows and take the key blocks in turns.
//
// One launch, no workspace. A block has one tile, so that its queries need one buffer.
#pragma once

#include "consumer_warpgroup.cuh"
#include "key_value_loader.cuh"
#include "split_merge.cuh"
#include "streaming_block.cuh"

namespace assay::attention::hopper {

struct NoTileWork {};

template <class ElementType, int kHeadDimension, int kKeyBlockRows, int kStageCount, bool kHalfTile = false>
struct SplitStreamingConfig
    : StreamingBlock<ElementType, kHeadDimension, 2, kKeyBlockRows, kStageCount, 1, kHalfTile ? 2 : 1> {
  using Block = StreamingBlock<ElementType, kHeadDimension, 2, kKeyBlockRows, kStageCount, 1, kHalfTile ? 2 : 1>;
  using Shared = StreamingShared<Block, NoTileWork>;
  using Part = SplitPart<kHeadDimension>;
  static constexpr int kProducerRegisters = 40;
  static constexpr int kConsumerRegisters = 232;
  static_assert(Block::kRows == kSplitTileRows);
  static_assert(sizeof(Part) <= sizeof(Shared::key) + sizeof(Shared::value));  // where it lies when they are done with
};

// The key blocks of this block of the cluster: [first, end).
struct KeyShare {
  int first;
  int end;

  __device__ __forceinline__ int count() const { return end - first; }

  template <class Config>
  __device__ __forceinline__ static KeyShare of(const Params& params, const SplitTile& tile, bool causal) {
    int keys = params.key_rows;
    if (causal) keys = min(keys, min(params.query_rows, tile.first_row + kSplitTileRows) + keys - params.query_rows);
    const int blocks = max(0, (keys + Config::kKeyBlock - 1) / Config::kKeyBlock);
    const int among = cluster_blocks();
    const int rank = cluster_rank();
    return {static_cast<int>(int64_t{blocks} * rank / among), static_cast<int>(int64_t{blocks} * (rank + 1) / among)};
  }
};

template <class Config>
struct SplitProducer {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;
  const SplitTile& tile;
  KeyValueLoader<Config> keys_and_values{shared, params};

  __device__ __forceinline__ void run(const KeyShare& share) {
    if (share.first == share.end) return;
    load_key(share.end - 1);
    load_queries();
#pragma unroll 1
    for (int block = share.end - 1; block >= share.first; --block) {
      if (block > share.first) load_key(block - 1);
      load_value(block);
    }
  }

 private:
  // Rows and heads that do not exist arrive as zeros; those of another key head are not written.
  __device__ __forceinline__ void load_queries() {
    const bool whole = params.head_rows_log2 == kSplitTileRowsLog2;
#pragma unroll
    for (int group = 0; group < Config::kConsumers; ++group) {
      const int row = whole ? tile.first_row + group * kTileRows : 0;
      const bool same_rows = whole || Config::kTurns > 1;
      const int head = tile.head + (same_rows ? 0 : group * (kTileRows >> params.head_rows_log2));
      Mbarrier& full = shared.query_full[group];
      full.expect_bytes(kTileRows * Config::kStoredColumns * sizeof(Element));
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        load_tile(shared.query[0][group] + panel * kTileRows * kPanelColumns, params.query,
                  {panel * kPanelColumns, row, head, tile.batch}, full);
      }
    }
  }
  __device__ __forceinline__ void load_key(int block) { keys_and_values.load_key(block, tile.head, tile.batch); }
  __device__ __forceinline__ void load_value(int block) { keys_and_values.load_value(block, tile.head, tile.batch); }
};

template <class Config, bool kCausal>
struct SplitConsumer : ConsumerWarpgroup<SplitConsumer<Config, kCausal>, Config, Params> {
  using Warpgroup = ConsumerWarpgroup<SplitConsumer<Config, kCausal>, Config, Params>;
  using Warpgroup::params;
  using Warpgroup::shared;
  using Warpgroup::tile;
  static constexpr bool kEveryBlockHasTiles = false;
  static constexpr bool kSkipsBlocks = false;
  static constexpr int kBlockStep = Config::kTurns;

  KeyShare share;
  int first_query;         // of the tile
  OnlineSoftmax result{};  // of the finished tile

  struct Rows {
    int first;  // key block

    __device__ __forceinline__ int first_block() const { return first; }
  };

  // The block's only tile, if it has keys.
  __device__ __forceinline__ bool find_next_tile(Rows& rows, int& block) const {
    if (!tile.none() || share.count() <= first_turn()) return false;
    shared.query_full[this->group].wait(0);
    rows.first = share.first;
    block = share.end - 1 - first_turn();
    return true;
  }

  // Which of the share's blocks is the warpgroup's first.
  __device__ __forceinline__ int first_turn() const { return Config::kTurns > 1 ? this->group : 0; }
  __device__ __forceinline__ int last_to_wait() const {
    return Config::kTurns > 1 ? share.count() % Config::kTurns : 0;
  }

  __device__ __forceinline__ Scale scale() const { return {params.scale_log2}; }

  __device__ __forceinline__ void mask_first_block(const Rows&, int block) {
    if (!kCausal) {
      if ((block + 1) * Config::kKeyBlock > params.key_rows) limits().hide(this->r_scores, block * Config::kKeyBlock);
      return;
    }
    const int lowest = first_query + (rows_mask() & (this->group * kTileRows));
    if ((block + 1) * Config::kKeyBlock > min(params.key_rows, lowest + 1 + params.key_rows - params.query_rows)) {
      limits().hide(this->r_scores, block * Config::kKeyBlock);
    }
  }
  // Keys that do not exist are in the first block alone.
  __device__ __forceinline__ void mask_block(const Rows& rows, int block) {
    if constexpr (kCausal) mask_first_block(rows, block);
  }

  __device__ void release(Mbarrier& barrier) const {
    if (threadIdx.x % 32 == 0) barrier.arrive();
  }

  __device__ __forceinline__ void write(OnlineSoftmax& softmax) {
    softmax.finish();
    result = softmax;
  }

 private:
  __device__ __forceinline__ int rows_mask() const { return (1 << params.head_rows_log2) - 1; }

  __device__ __forceinline__ RowLimits limits() const {
    const int thread = reread_thread();
    const int row = this->group * kTileRows + thread % kWarpgroup / 32 * 16 + thread % 32 / 4;
    RowLimits limits;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int diagonal = first_query + ((row + 8 * half) & rows_mask()) + params.key_rows - params.query_rows;
      limits.last_key[half] = kCausal && diagonal < params.key_rows - 1 ? diagonal : params.key_rows - 1;
    }
    return limits;
  }
};

// `params` must be a parameter of the kernel: TMA reads the tensor maps where they lie.
template <class Config, bool kCausal>
__device__ __forceinline__ void run_split_streaming(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
  const SplitTile tile(params, static_cast<int>(blockIdx.x) / cluster_blocks(), kCausal);
  const KeyShare share = KeyShare::of<Config>(params, tile, kCausal);
  if (threadIdx.x == 0) {
    prefetch_map(params.query);
    prefetch_map(params.key);
    prefetch_map(params.value);
    shared.init_barriers();
  }
  __syncthreads();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kProducerRegisters>();
    if (threadIdx.x == 0) {
      wait_previous_grid();
      SplitProducer<Config>{shared, params, tile}.run(share);
    }
    return;  // the barriers of the cluster are for threads that are still there
  }
  grow_registers<Config::kConsumerRegisters>();
  wait_previous_grid();
  SplitConsumer<Config, kCausal> consumer{{shared, params, warpgroup - 1, {warpgroup - 1}}, share, tile.first_row};
  if (consumer.first_turn() > 0) consumer.cursor.value.advance();
  consumer.run();

  auto& part = *reinterpret_cast<typename Config::Part*>(shared.key);
  constexpr int kConsumerThreads = Config::kConsumers * kWarpgroup;
  constexpr int kBarrier = 1 + 2 * Config::kConsumers;
  named_barrier_sync(kBarrier, kConsumerThreads);  // all are done with keys and values
  if constexpr (Config::kTurns > 1) {
    if (warpgroup == 2) part.put(kTileRows, consumer.r_output, consumer.result);
    named_barrier_sync(kBarrier, kConsumerThreads);
    if (warpgroup == 1) {
      part.add_to(consumer.r_output, consumer.result, kTileRows);
      part.put(0, consumer.r_output, consumer.result);
    }
  } else {
    part.put((warpgroup - 1) * kTileRows, consumer.r_output, consumer.result);
  }
  arrive_at_cluster();
  wait_for_cluster();
  write_share<typename Config::Element, Config::kHeadDim, kConsumerThreads>(
      part, params, tile, static_cast<int>(threadIdx.x) - kWarpgroup, kBarrier);
  arrive_at_cluster();  // nobody reads here any more
  wait_for_cluster();
}

template <class Config, bool kCausal>
__global__ void __launch_bounds__(Config::kThreads, 1)
    split_streaming_attention(const __grid_constant__ Params params) {
  run_split_streaming<Config, kCausal>(params);
}

}  // namespace assay::attention::hopper
