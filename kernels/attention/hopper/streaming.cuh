// SPDX-License-Identifier: MIT
// Attention for any number of keys: a producer thread streams queries, keys and values through rings of stages,
// consumer warpgroups of 64 query rows each overlap the softmax of one block with the products of its neighbours, and a
// writer thread stores the tiles that they have finished.
// Persistent: one block per multiprocessor walks a fixed list of tiles, and the blocks of one tile follow those of the
// tile before without a gap: a tile's first scores and softmax run under the last output product of the tile before.
#pragma once

#include "streaming_consumer.cuh"
#include "streaming_producer.cuh"
#include "streaming_writer.cuh"

namespace assay::attention::hopper {

template <class ElementType, int kHeadDimension, int kConsumerGroups, int kKeyBlockRows, int kStageCount,
          bool kIsCausal>
struct StreamingConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kConsumers = kConsumerGroups;
  static constexpr int kKeyBlock = kKeyBlockRows;
  static constexpr int kStages = kStageCount;
  static constexpr bool kCausal = kIsCausal;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kRows = kConsumers * kTileRows;
  static constexpr int kPanels = (kHeadDim + kPanelColumns - 1) / kPanelColumns;
  static constexpr int kStoredColumns = kPanels * kPanelColumns;  // of a row in shared memory
  // What the block gets at its launch (a multiple of 8 per thread, 65536 in all) is what setmaxnreg can distribute.
  static constexpr int kProducerRegisters = kConsumers == 2 ? 40 : 32;
  static constexpr int kConsumerRegisters = kConsumers == 2 ? 232 : kConsumers == 3 ? 160 : 112;
  static_assert(kProducerRegisters + kConsumers * kConsumerRegisters <= 65536 / kThreads / 8 * 8 * (kConsumers + 1));

  struct alignas(1024) Shared {
    Element query[2][kConsumers]
                 [kTileRows * kStoredColumns];  // this tile's, where its output is staged too, and the next's
    Element key[kStages][kKeyBlock * kStoredColumns];
    Element value[kStages][kKeyBlock * kStoredColumns];
    TileWork work[2];  // the tiles of the queries; none: the end
    Mbarrier query_full[2];
    Mbarrier query_empty[2];
    Mbarrier output_full[2];  // staged where the queries were
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

// `params` must be a parameter of the kernel: TMA reads the tensor maps where they lie.
template <class Config>
__device__ __forceinline__ void run_streaming(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
  StreamingProducer<Config> producer{shared, params};
  if (threadIdx.x == 0) {
    prefetch_map(params.query);
    prefetch_map(params.key);
    prefetch_map(params.value);
    prefetch_map(params.output);
    for (int buffer = 0; buffer < 2; ++buffer) {
      shared.query_full[buffer].init(1);
      shared.query_empty[buffer].init(1);
      shared.output_full[buffer].init(Config::kConsumers * 4);
    }
    for (int stage = 0; stage < Config::kStages; ++stage) {
      shared.key_full[stage].init(1);
      shared.key_empty[stage].init(Config::kConsumers * 4);
      shared.value_full[stage].init(1);
      shared.value_empty[stage].init(Config::kConsumers * 4);
    }
    publish_mbarriers();
    wait_previous_grid();
    producer.start();  // before anybody else is ready
  }
  __syncthreads();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kProducerRegisters>();
    if (threadIdx.x == 0) producer.run();
    if (threadIdx.x == 32) StreamingWriter<Config>{shared, params}.run();
  } else {
    grow_registers<Config::kConsumerRegisters>();
    wait_previous_grid();
    StreamingConsumer<Config>{shared, params, warpgroup - 1, {warpgroup - 1}}.run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) streaming_attention(const __grid_constant__ Params params) {
  run_streaming<Config>(params);
}

}  // namespace assay::attention::hopper
