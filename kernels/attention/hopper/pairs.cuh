// SPDX-License-Identifier: MIT
// Attention for many short sequences: up to 64 or 128 queries and keys, so that a (batch, head) pair is one tile and
// its keys one block. What counts is to keep memory busy: a pair of 128 rows of 64 columns is 64 KB and little work.
//
//   block      one per multiprocessor, persistent: works through the pairs blockIdx.x, blockIdx.x + gridDim.x, ...
//   producer   one thread requests Q, K and V of pair after pair into a ring of slots, as far ahead as there are slots
//   teams      two of two warpgroups (128 rows) or four of one (64), each with a pair of its own at a time: the
//              latencies of one (waits, softmax, stores) lie behind the work of the others
//
// A slot holds Q, K or V of a pair, and in the place of Q later its output. No online softmax: all keys are there.
#pragma once

#include "params.hpp"
#include "streaming_block.cuh"
#include "tensor_copy.cuh"
#include "warpgroup_tile.cuh"

namespace assay::attention::hopper::pairs {

template <class ElementType, int kHeadDimension, int kMostRows, bool kIsCausal>
struct PairsConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kLength = kMostRows;  // queries, and keys
  static constexpr int kKeyBlock = kLength;  // of the tensor maps
  static constexpr bool kCausal = kIsCausal;
  static constexpr int kConsumers = 4;
  static constexpr int kTeamGroups = kLength / kTileRows;
  static constexpr int kTeams = kConsumers / kTeamGroups;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kPanels = (kHeadDim + kPanelColumns - 1) / kPanelColumns;
  static constexpr int kStoredColumns = kPanels * kPanelColumns;  // of a row in shared memory
  static constexpr int kProducerRegisters = 32;
  static constexpr int kConsumerRegisters = 112;
  static constexpr int kSlotBytes = kLength * kStoredColumns * 2;
  static constexpr int kSlots = (227 - 1) * 1024 / kSlotBytes;
  static_assert(kLength == 64 || kLength == 128);
  static_assert(kSlots > 3 * kTeams, "there is a slot for the pair after those that are worked on");

  struct alignas(1024) Shared {
    Element slot[kSlots][kLength * kStoredColumns];
    Mbarrier full[kSlots];
    Mbarrier empty[kSlots];
    int seen[kTeams];  // pairs of which a team has had all tensors
  };
};

// PTX ISA "ld" and "st", with .acquire and .release
__device__ __forceinline__ int load_acquire(const int& s_count) {
  int count;
  asm volatile("ld.acquire.cta.shared::cta.s32 %0, [%1];" : "=r"(count) : "r"(shared_address(&s_count)) : "memory");
  return count;
}
__device__ __forceinline__ void store_release(int& s_count, int count) {
  asm volatile("st.release.cta.shared::cta.s32 [%0], %1;" ::"r"(shared_address(&s_count)), "r"(count) : "memory");
}

// Where the n-th tensor that the producer requests lies, and the parity that its barrier has when it is there.
template <int kSlots>
struct Slot {
  int index;
  uint32_t parity;

  __device__ __forceinline__ explicit Slot(int n) : index(n % kSlots), parity(static_cast<uint32_t>(n / kSlots % 2)) {}
};

// The pairs of a block by number.
struct PairList {
  const Params& params;

  __device__ __forceinline__ int pair(int number) const {
    return static_cast<int>(blockIdx.x) + number * static_cast<int>(gridDim.x);
  }
  __device__ __forceinline__ bool has(int number) const { return pair(number) < params.query_heads * params.batch; }
  __device__ __forceinline__ int head(int number) const { return pair(number) % params.query_heads; }
  __device__ __forceinline__ int batch(int number) const { return pair(number) / params.query_heads; }
};

template <class Config>
struct PairProducer {
  using Element = typename Config::Element;

  typename Config::Shared& shared;
  const Params& params;

  __device__ __forceinline__ void run() {
    const PairList list{params};
#pragma unroll 1
    for (int number = 0; list.has(number); ++number) {
      const int head = list.head(number);
      const int batch = list.batch(number);
      const int key_head = head / params.heads_per_key_head;
      load<kTileRows>(3 * number, params.query, head, batch);
      load<Config::kLength>(3 * number + 1, params.key, key_head, batch);
      load<Config::kLength>(3 * number + 2, params.value, key_head, batch);
    }
  }

 private:
  // kBoxRows: of the tensor map. A slot has panels of so many rows one after another.
  template <int kBoxRows>
  __device__ __forceinline__ void load(int n, const CUtensorMap& map, int head, int batch) {
    const Slot<Config::kSlots> place(n);
    Mbarrier& full = shared.full[place.index];
    shared.empty[place.index].wait(place.parity ^ 1);
    full.expect_bytes(Config::kSlotBytes);
    Element* s_box = shared.slot[place.index];
#pragma unroll
    for (int row = 0; row < Config::kLength; row += kBoxRows) {
#pragma unroll
      for (int panel = 0; panel < Config::kPanels; ++panel) {
        load_tile(s_box, map, {panel * kPanelColumns, row, head, batch}, full);
        s_box += kBoxRows * kPanelColumns;
      }
    }
  }
};

// A warpgroup of a team: 64 rows of every pair that the team takes. The output is made 64 columns at a time, so that
// four warpgroups have registers enough.
template <class Config>
struct PairConsumer {
  using Element = typename Config::Element;
  using Place = Slot<Config::kSlots>;
  static constexpr int kScores = Config::kLength / 2;

  typename Config::Shared& shared;
  const Params& params;
  int consumer;  // of the block

  __device__ __forceinline__ void run() {
    const PairList list{params};
#pragma unroll 1
    for (int number = team(); list.has(number); number += Config::kTeams) attend(list, number);
  }

 private:
  __device__ __forceinline__ int team() const { return consumer / Config::kTeamGroups; }
  __device__ __forceinline__ int first_row() const { return consumer % Config::kTeamGroups * kTileRows; }

  __device__ __forceinline__ void attend(const PairList& list, int number) {
    const Place query(3 * number);
    const Place key(3 * number + 1);
    const Place value(3 * number + 2);
    Element* s_query = shared.slot[query.index] + first_row() * Config::kStoredColumns;  // (64, head_dim)

    float r_scores[kScores];
    await_earlier_uses(number);
    wait(query);
    wait(key);
    pin(r_scores);
    matrix_fence();
    start_scores<Element, Config::kHeadDim, Config::kLength>(r_scores, s_query, shared.slot[key.index]);
    matrix_commit();
    matrix_wait<0>();  // (64, keys)  S = Q K^T
    pin(r_scores);
    release(key);
    mask(r_scores);

    OnlineSoftmax softmax;
    Probabilities<Element, Config::kLength> r_probabilities;  // (64, keys)
    float shrink[2];                                          // of nothing
    const Scale scale{params.scale_log2};
    softmax.follow_maximum(r_scores, scale, shrink);  // row max
    softmax.exponentiate(r_scores, scale);            // S -> P
    r_probabilities.pack_from(r_scores);

    softmax.finish();
    wait(value);
    if (consumer % Config::kTeamGroups == 0 && threadIdx.x % kWarpgroup == 0) {
      store_release(shared.seen[team()], number / Config::kTeams + 1);
    }
#pragma unroll
    for (int panel = 0; panel < Config::kPanels; ++panel) {
      float r_output[kPanelColumns / 2] = {};
      pin(r_output);
      matrix_fence();
      start_output<Element, kPanelColumns, Config::kLength>(
          r_output, r_probabilities, shared.slot[value.index] + panel * Config::kLength * kPanelColumns);
      matrix_commit();
      matrix_wait<0>();  // (64, 64 columns)  O = P V
      pin(r_output);
      if (panel == 0) named_barrier_sync(1 + consumer, kWarpgroup);  // all its warps are done with the queries
      stage(softmax, r_output, s_query + panel * kTileRows * kPanelColumns);
    }
    release(value);
    write(list, number, softmax, s_query);
    release(query);
  }

  // A wait by parity tells a phase from the one before it, not from the one before that. Another team had these slots
  // before, and waits for its tensors there if copies have overtaken one another: it must have had them first.
  __device__ __forceinline__ void await_earlier_uses(int number) const {
#pragma unroll
    for (int tensor = 0; tensor < 3; tensor += 2) {
      const int before = 3 * number + tensor - Config::kSlots;
      if (before < 0) continue;
      const int pair = before / 3;
      while (load_acquire(shared.seen[pair % Config::kTeams]) <= pair / Config::kTeams) {
      }
    }
  }

  // Hides keys that do not exist, and those behind the diagonal.
  __device__ __forceinline__ void mask(float (&r_scores)[kScores]) const {
    if (Config::kCausal || params.key_rows < Config::kLength) {
      RowLimits(first_row(), params.query_rows, params.key_rows, Config::kCausal).hide(r_scores, 0);
    }
  }

  // The tile goes out through the shared memory of its queries.
  __device__ __forceinline__ static void stage(const OnlineSoftmax& softmax, float (&r_output)[kPanelColumns / 2],
                                               Element* s_panel) {
    const float factor[2] = {softmax.normaliser(0), softmax.normaliser(1)};
    scale_rows(r_output, factor);
    stage_output<Element, kPanelColumns>(r_output, s_panel);
  }

  // 16 bytes a lane, of the rows that the warp itself has staged.
  __device__ __forceinline__ void write(const PairList& list, int number, const OnlineSoftmax& softmax,
                                        const Element* s_tile) const {
    __syncwarp();
    const int head = list.head(number);
    const int batch = list.batch(number);
    auto* g_tile = static_cast<Element*>(params.g_output) + batch * params.output_batch_stride +
                   head * params.output_head_stride + first_row() * params.output_row_stride;
    write_staged_rows<Element, Config::kStoredColumns>(s_tile, g_tile, params.output_row_stride,
                                                       params.query_rows - first_row(), params.head_dim);
    publish_to_copy_engine();  // what was staged, before TMA writes there again
    if (params.g_log_sum_exp != nullptr) write_log_sum_exp(softmax, head, batch);
  }

  __device__ __forceinline__ void write_log_sum_exp(const OnlineSoftmax& softmax, int head, int batch) const {
    const int thread = reread_thread() % kWarpgroup;
    if (thread % 4 != 0) return;
    const int row = first_row() + thread / 32 * 16 + thread % 32 / 4;
    float* g_head = params.g_log_sum_exp + (int64_t{batch} * params.query_heads + head) * params.query_rows;
    if (row < params.query_rows) g_head[row] = softmax.log_sum_exp(0);
    if (row + 8 < params.query_rows) g_head[row + 8] = softmax.log_sum_exp(1);
  }

  __device__ __forceinline__ void wait(const Place& place) const { shared.full[place.index].wait(place.parity); }
  __device__ __forceinline__ void release(const Place& place) const {
    __syncwarp();
    if (threadIdx.x % 32 == 0) shared.empty[place.index].arrive();
  }
};

// `params` must be a parameter of the kernel: TMA reads the tensor maps where they lie.
template <class Config>
__device__ __forceinline__ void run_pairs(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
  if (threadIdx.x == 0) {
    prefetch_map(params.query);
    prefetch_map(params.key);
    prefetch_map(params.value);
    for (int slot = 0; slot < Config::kSlots; ++slot) {
      shared.full[slot].init(1);
      shared.empty[slot].init(Config::kTeamGroups * 4);
    }
    for (int team = 0; team < Config::kTeams; ++team) shared.seen[team] = 0;
    publish_mbarriers();
  }
  __syncthreads();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kProducerRegisters>();
    wait_previous_grid();
    if (threadIdx.x == 0) PairProducer<Config>{shared, params}.run();
  } else {
    grow_registers<Config::kConsumerRegisters>();
    wait_previous_grid();
    PairConsumer<Config>{shared, params, warpgroup - 1}.run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) pairs_attention(const __grid_constant__ Params params) {
  run_pairs<Config>(params);
}

}  // namespace assay::attention::hopper::pairs
