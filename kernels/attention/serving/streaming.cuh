// SPDX-License-Identifier: MIT
// Attention for sequences of any length, windows, capped scores and paged keys on Hopper: wgmma, fed by warps that copy
// rows from wherever they lie. The order of work is that of ../hopper/streaming.cuh; there a tensor map knows where
// rows are, which no map does of pages, or of the end of a sequence in a packed tensor.
//
//   warpgroup 0    warp 0: keys, warp 1: values, warp 2: queries and the list of tiles, warp 3: stores finished tiles
//   others         64 rows of a tile each: S = Q K^T, softmax, O += P V
#pragma once

#include "streaming_consumer.cuh"
#include "streaming_loaders.cuh"

namespace assay::attention::serving::streaming {

template <class ElementType, int kHeadDimension, int kKeyBlockRows, int kStageCount>
struct Config {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kConsumers = 2;
  static constexpr int kKeyBlock = kKeyBlockRows;
  static constexpr int kStages = kStageCount;
  static constexpr int kThreads = (kConsumers + 1) * kWarpgroup;
  static constexpr int kRows = kConsumers * kTileRows;
  static constexpr int kPanels = (kHeadDim + kPanelColumns - 1) / kPanelColumns;
  static constexpr int kStoredColumns = kPanels * kPanelColumns;  // of a row in shared memory
  static constexpr int kLoaderRegisters = 40;
  static constexpr int kConsumerRegisters = 232;

  struct alignas(1024) Shared {
    Element query[2][kConsumers]
                 [kTileRows * kStoredColumns];  // this tile's, where its output is staged, and the next's
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

template <class Config>
__device__ __forceinline__ void run_streaming(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
  if (threadIdx.x == 0) {
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
  }
  wait_previous_grid();
  __syncthreads();
  const int warpgroup = __shfl_sync(~0u, threadIdx.x / kWarpgroup, 0);
  if (warpgroup == 0) {
    shrink_registers<Config::kLoaderRegisters>();
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    if (warp == 0) KeyLoader<Config, false>{shared, params}.run();
    if (warp == 1) KeyLoader<Config, true>{shared, params}.run();
    if (warp == 2) QueryLoader<Config>{shared, params}.run();
    if (warp == 3) Writer<Config>{shared, params}.run();
  } else {
    grow_registers<Config::kConsumerRegisters>();
    Consumer<Config>{
        shared,         params, warpgroup - 1, {Softcap::softmax_scale(params) * kLog2E}, Softcap(params).exponent,
        {warpgroup - 1}}
        .run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) streaming_attention(const __grid_constant__ Params params) {
  run_streaming<Config>(params);
}

}  // namespace assay::attention::serving::streaming
