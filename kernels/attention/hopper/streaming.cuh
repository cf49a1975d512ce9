// SPDX-License-Identifier: MIT
// Attention for any number of keys: a producer thread streams queries, keys and values through rings of stages,
// consumer warpgroups of 64 query rows each overlap the softmax of one block with the products of its neighbours, and a
// writer thread stores the tiles that they have finished.
// Persistent: one block per multiprocessor walks a fixed list of tiles, and the blocks of one tile follow those of the
// tile before without a gap: a tile's first scores and softmax run under the last output product of the tile before.
#pragma once

#include "streaming_block.cuh"
#include "streaming_consumer.cuh"
#include "streaming_producer.cuh"
#include "streaming_writer.cuh"

namespace assay::attention::hopper {

template <class ElementType, int kHeadDimension, int kConsumerGroups, int kKeyBlockRows, int kStageCount,
          bool kIsCausal, int kQueryBufferCount = 2>
struct StreamingConfig
    : StreamingBlock<ElementType, kHeadDimension, kConsumerGroups, kKeyBlockRows, kStageCount, kQueryBufferCount> {
  using Block =
      StreamingBlock<ElementType, kHeadDimension, kConsumerGroups, kKeyBlockRows, kStageCount, kQueryBufferCount>;
  using Shared = StreamingShared<Block, TileWork>;
  static constexpr bool kCausal = kIsCausal;
  // What the block gets at its launch (a multiple of 8 per thread, 65536 in all) is what setmaxnreg can distribute.
  static constexpr int kProducerRegisters = kConsumerGroups == 2 ? 40 : 32;
  static constexpr int kConsumerRegisters = kConsumerGroups == 2 ? 232 : kConsumerGroups == 3 ? 160 : 112;
  static_assert(kProducerRegisters + kConsumerGroups * kConsumerRegisters <=
                65536 / Block::kThreads / 8 * 8 * (kConsumerGroups + 1));
};

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
    shared.init_barriers();
    wait_previous_grid();
    producer.start();  // before anybody else is ready
  }
  __syncthreads();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kProducerRegisters>();
    if (threadIdx.x == 0) producer.run();
    if (Config::kQueryBuffers == 2 && threadIdx.x == 32) StreamingWriter<Config>{shared, params}.run();
  } else {
    grow_registers<Config::kConsumerRegisters>();
    wait_previous_grid();
    StreamingConsumer<Config>{{shared, params, warpgroup - 1, {warpgroup - 1}}}.run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) streaming_attention(const __grid_constant__ Params params) {
  run_streaming<Config>(params);
}

}  // namespace assay::attention::hopper
