// SPDX-License-Identifier: MIT
// Attention for sequences of a few hundred rows, and for many queries against few keys: what a tile costs beside its
// products is most of the time there, so that every consumer has tiles of its own and waits for no other.
//
//   block       one per multiprocessor, persistent: works through items, which are neighbouring tiles of a head
//   loaders     one thread requests keys and values of item after item, blocks of 64 keys; another one the queries
//   consumers   two to four warpgroups, each with a tile of 64 rows: while one waits, or stores, the others compute
//
//   Q[consumer][buffers] -- query_full --> its consumer     released with the last scores of a tile
//   K[stages] ------------- key_full ----> every consumer   released with the scores
//   V[stages] ------------- value_full --> every consumer   released with the output product
//
// Keys and values stay while a consumer has more tiles in the item. A wait by parity cannot tell a phase from the one
// before the last: every consumer therefore waits for every stage in turn and releases it, also what its rows do not
// see, and a stage is filled again only when all have released it.
#pragma once

#include "own_tiles_work.cuh"
#include "streaming_block.cuh"
#include "tensor_copy.cuh"

namespace assay::attention::hopper::own_tiles {

// kIsLong: for more keys, with one buffer of queries for a consumer where there would be two.
template <class ElementType, int kHeadDimension, bool kIsCausal, bool kIsLong = false>
struct OwnTilesConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr bool kCausal = kIsCausal;
  static constexpr int kRows = kTileRows;  // of a tile
  static constexpr int kKeyBlock = 64;
  static constexpr int kConsumers = kHeadDim <= 64 ? 4 : kHeadDim <= 128 ? 3 : 2;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kProducerRegisters = kConsumers == 2 ? 40 : 32;
  static constexpr int kConsumerRegisters = kConsumers == 2 ? 232 : kConsumers == 3 ? 160 : 112;
  static constexpr int kPanels = (kHeadDim + kPanelColumns - 1) / kPanelColumns;
  static constexpr int kStoredColumns = kPanels * kPanelColumns;  // of a row in shared memory
  static constexpr int kSlotElements = kTileRows * kStoredColumns;
  static constexpr int kSlotBytes = kSlotElements * 2;
  static constexpr int kSlots = 226 * 1024 / kSlotBytes;
  static constexpr int kQueryBuffers = kHeadDim <= 128 && !kIsLong ? 2 : 1;  // of a consumer
  static constexpr int kKeyStages = (kSlots - kConsumers * kQueryBuffers) / 2;
  static constexpr int kValueStages = kSlots - kConsumers * kQueryBuffers - kKeyStages;
  static_assert(kKeyBlock == kTileRows, "a slot holds queries, keys or values");

  struct alignas(1024) Shared {
    Element query[kConsumers][kQueryBuffers][kSlotElements];
    Element key[kKeyStages][kSlotElements];
    Element value[kValueStages][kSlotElements];
    Mbarrier query_full[kConsumers][kQueryBuffers];
    Mbarrier query_empty[kConsumers][kQueryBuffers];
    Mbarrier key_full[kKeyStages];
    Mbarrier key_empty[kKeyStages];
    Mbarrier value_full[kValueStages];
    Mbarrier value_empty[kValueStages];

    // By one thread. Who fills a place arrives once, who reads it once per warp of the consumers.
    __device__ __forceinline__ void init_barriers() {
      for (int consumer = 0; consumer < kConsumers; ++consumer) {
        for (int buffer = 0; buffer < kQueryBuffers; ++buffer) {
          query_full[consumer][buffer].init(1);
          query_empty[consumer][buffer].init(4);
        }
      }
      init(key_full, key_empty);
      init(value_full, value_empty);
      publish_mbarriers();
    }

   private:
    template <int kStages>
    __device__ __forceinline__ static void init(Mbarrier (&full)[kStages], Mbarrier (&empty)[kStages]) {
      for (int stage = 0; stage < kStages; ++stage) {
        full[stage].init(1);
        empty[stage].init(4 * kConsumers);
      }
    }
  };
};

// A slot: 64 rows of queries, keys or values.
template <class Config>
__device__ __forceinline__ void load_slot(typename Config::Element* s_slot, const CUtensorMap& map, int row, int head,
                                          int batch, Mbarrier& full) {
  full.expect_bytes(Config::kSlotBytes);
#pragma unroll
  for (int panel = 0; panel < Config::kPanels; ++panel) {
    load_tile(s_slot + panel * kTileRows * kPanelColumns, map, {panel * kPanelColumns, row, head, batch}, full);
  }
}

template <class Config>
struct KeyLoader {
  typename Config::Shared& shared;
  const Params& params;

  __device__ __forceinline__ void run() {
    RingCursor<Config::kKeyStages> key;
    RingCursor<Config::kValueStages> value;
    Items<Config> items{params};
    Item item;
#pragma unroll 1
    while (items.find(item)) {
      const int blocks = item_blocks<Config>(params, item);
      const int head = item.head % params.query_heads / params.heads_per_key_head;
      const int batch = item.head / params.query_heads;
#pragma unroll 1
      for (int block = 0; block < blocks; ++block) {
        const int row = block * Config::kKeyBlock;
        shared.key_empty[key.stage].wait(key.parity ^ 1);
        load_slot<Config>(shared.key[key.stage], params.key, row, head, batch, shared.key_full[key.stage]);
        key.advance();
        shared.value_empty[value.stage].wait(value.parity ^ 1);
        load_slot<Config>(shared.value[value.stage], params.value, row, head, batch, shared.value_full[value.stage]);
        value.advance();
      }
    }
  }
};

template <class Config>
struct QueryLoader {
  typename Config::Shared& shared;
  const Params& params;

  __device__ __forceinline__ void run() {
    Items<Config> items{params};
    Turn<Config> turn;
    Item item;
    uint32_t loaded = 0;  // tiles of each consumer, modulo two rounds of its buffers, eight bits each
#pragma unroll 1
    while (items.find(item)) {
#pragma unroll 1
      for (int tile = 0; tile < item.tiles; ++tile) {
        const int consumer = turn.consumer(tile);
        const uint32_t number = loaded >> 8 * consumer & 0xff;
        load(item, item.first_tile + tile, consumer, static_cast<int>(number));
        const uint32_t following = number + 1 == 2 * Config::kQueryBuffers ? 0 : number + 1;
        loaded ^= (number ^ following) << 8 * consumer;
      }
      turn.pass(item.tiles);
    }
  }

 private:
  __device__ __forceinline__ void load(const Item& item, int tile, int consumer, int number) {
    const int buffer = number % Config::kQueryBuffers;
    const auto parity = static_cast<uint32_t>(number / Config::kQueryBuffers);
    shared.query_empty[consumer][buffer].wait(parity ^ 1);
    load_slot<Config>(shared.query[consumer][buffer], params.query, tile * kTileRows, item.head % params.query_heads,
                      item.head / params.query_heads, shared.query_full[consumer][buffer]);
  }
};

// Where the n-th block of keys, or of values, that the block requests lies, and the parity that its barrier has when it
// is there.
template <int kStages>
struct Stage {
  int index;
  uint32_t parity;

  __device__ __forceinline__ explicit Stage(unsigned n)
      : index(static_cast<int>(n % kStages)), parity(n / kStages % 2) {}
};

template <class Config>
struct Consumer {
  using Element = typename Config::Element;
  static constexpr int kScores = Config::kKeyBlock / 2;
  static constexpr int kOutputs = Config::kHeadDim / 2;
  // The output product of a block runs under the next scores and their maximum. ptxas (13.0) finds no registers for
  // that at D = 256.
  static constexpr bool kOverlaps = Config::kHeadDim < 256;

  using Key = Stage<Config::kKeyStages>;
  using Value = Stage<Config::kValueStages>;

  typename Config::Shared& shared;
  const Params& params;
  int consumer;
  RingCursor<Config::kQueryBuffers> query;

  float r_scores[kScores];                                    // (64, key_block)
  float r_output[kOutputs];                                   // (64, head_dim)
  Probabilities<Element, Config::kKeyBlock> r_probabilities;  // (64, key_block)

  __device__ __forceinline__ void run() {
    Items<Config> items{params};
    Turn<Config> turn;
    Item item;
    unsigned begin = 0;  // of the item, in blocks of keys
#pragma unroll 1
    while (items.find(item)) {
      int seen = 0;
#pragma unroll 1
      for (int tile = turn.first_tile(consumer); tile < item.tiles; tile += Config::kConsumers) {
        seen = attend(item, tile, begin, tile + Config::kConsumers >= item.tiles);
      }
      const unsigned end = begin + item_blocks<Config>(params, item);
      skip(begin + seen, end);
      begin = end;
      turn.pass(item.tiles);
    }
  }

 private:
  // All keys of a tile of the item; returns how many blocks they are. `last`: this consumer's last tile of the item.
  __device__ __forceinline__ int attend(const Item& item, int item_tile, unsigned begin, bool last) {
    const int tile = item.first_tile + item_tile;
    const int row = tile * kTileRows;
    const int blocks = key_blocks<Config>(params, tile);
    const Scale scale{params.scale_log2};
    OnlineSoftmax softmax;
#pragma unroll
    for (int i = 0; i < kOutputs; ++i) r_output[i] = 0.0f;
    shared.query_full[consumer][query.stage].wait(query.parity);
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
      multiply(begin + block,
               kOverlaps && block > 0);  // (64, key_block)  S = Q K^T; starts O += P V of the block before
      if (last) release(shared.key_empty[Key(begin + block).index]);
      if (block + 1 == blocks) release_queries();
      mask(row, block);
      float shrink[2];
      const bool moved = softmax.follow_maximum(r_scores, scale, shrink);  // new row max
      if constexpr (kOverlaps)
        finish_output(begin + block - 1, last && block > 0);  // (64, head_dim)   O += P V is done
      if (moved) softmax.shrink_sums(shrink);
      softmax.exponentiate(r_scores, scale);  // S -> P
      r_probabilities.pack_from(r_scores);
      if (moved) scale_rows(r_output, shrink);  // rescale
      if constexpr (!kOverlaps) add_output_of_block(begin + block, last);
    }
    if constexpr (kOverlaps) add_output_of_block(begin + blocks - 1, last);
    write(item, row, softmax);
    return blocks;
  }

  // Blocks that none of this consumer's rows see, or that another one's tiles alone need.
  __device__ __forceinline__ void skip(unsigned block, unsigned end) {
#pragma unroll 1
    for (; block != end; ++block) {
      const Key key(block);
      const Value value(block);
      shared.key_full[key.index].wait(key.parity);
      release(shared.key_empty[key.index]);
      shared.value_full[value.index].wait(value.parity);
      release(shared.value_empty[value.index]);
    }
  }

  // ---- Products ----

  // Starts the scores of a block, then the output product of the block before it, if there was one. Returns when the
  // scores are there.
  __device__ __forceinline__ void multiply(unsigned block, bool has_before) {
    const Key key(block);
    shared.key_full[key.index].wait(key.parity);
    pin(r_scores);
    pin(r_output);
    matrix_fence();
    start_scores<Element, Config::kHeadDim, Config::kKeyBlock>(r_scores, shared.query[consumer][query.stage],
                                                               shared.key[key.index]);
    matrix_commit();
    if (kOverlaps && has_before) {
      start_output_of_block(block - 1);
      matrix_commit();
      matrix_wait<1>();
    } else {
      matrix_wait<0>();
    }
    pin(r_scores);
  }
  __device__ __forceinline__ void start_output_of_block(unsigned block) {
    const Value value(block);
    shared.value_full[value.index].wait(value.parity);
    matrix_fence();
    start_output<Element, Config::kHeadDim, Config::kKeyBlock>(r_output, r_probabilities, shared.value[value.index]);
  }
  __device__ __forceinline__ void add_output_of_block(unsigned block, bool last) {
    pin(r_output);
    start_output_of_block(block);  // (64, head_dim)   O += P V
    matrix_commit();
    finish_output(block, last);
  }
  __device__ __forceinline__ void finish_output(unsigned block, bool last) {
    matrix_wait<0>();
    pin(r_output);
    if (last) release(shared.value_empty[Value(block).index]);
  }

  // ---- Rows ----

  // Hides keys that do not exist, and those behind the diagonal.
  __device__ __forceinline__ void mask(int row, int block) {
    const int first_masked_key =
        Config::kCausal ? min(params.key_rows, row + 1 + params.key_rows - params.query_rows) : params.key_rows;
    if ((block + 1) * Config::kKeyBlock > first_masked_key) {
      RowLimits(row, params.query_rows, params.key_rows, Config::kCausal).hide(r_scores, block * Config::kKeyBlock);
    }
  }

  // The tile goes to global memory.
  __device__ __forceinline__ void write(const Item& item, int row, OnlineSoftmax& softmax) {
    softmax.finish();
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(r_output, factor);
    const int head = item.head % params.query_heads;
    const int batch = item.head / params.query_heads;
    auto* g_tile = static_cast<Element*>(params.g_output) + batch * params.output_batch_stride +
                   head * params.output_head_stride + row * params.output_row_stride;
    write_output<Element, Config::kHeadDim>(r_output, g_tile, params.output_row_stride, params.query_rows - row,
                                            params.head_dim);
    if (params.g_log_sum_exp != nullptr) write_log_sum_exp(item, row, softmax);
  }

  __device__ __forceinline__ void write_log_sum_exp(const Item& item, int first_row, const OnlineSoftmax& softmax) {
    const int thread = reread_thread() % kWarpgroup;
    if (thread % 4 != 0) return;
    const int row = first_row + thread / 32 * 16 + thread % 32 / 4;
    float* g_head = params.g_log_sum_exp + int64_t{item.head} * params.query_rows;
    if (row < params.query_rows) g_head[row] = softmax.log_sum_exp(0);
    if (row + 8 < params.query_rows) g_head[row + 8] = softmax.log_sum_exp(1);
  }

  // ---- Barriers ----

  __device__ __forceinline__ void release_queries() {
    release(shared.query_empty[consumer][query.stage]);
    query.advance();
  }
  __device__ __forceinline__ static void release(Mbarrier& barrier) {
    __syncwarp();
    if (threadIdx.x % 32 == 0) barrier.arrive();
  }
};

// `params` must be a parameter of the kernel: TMA reads the tensor maps where they lie.
template <class Config>
__device__ __forceinline__ void run_own_tiles(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
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
    wait_previous_grid();
    if (threadIdx.x == 0) KeyLoader<Config>{shared, params}.run();
    if (threadIdx.x == 32) QueryLoader<Config>{shared, params}.run();
  } else {
    grow_registers<Config::kConsumerRegisters>();
    wait_previous_grid();
    Consumer<Config>{shared, params, warpgroup - 1}.run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) own_tiles_attention(const __grid_constant__ Params params) {
  run_own_tiles<Config>(params);
}

}  // namespace assay::attention::hopper::own_tiles
