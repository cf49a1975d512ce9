// SPDX-License-Identifier: MIT
// Attention for sequences of any length, windows, capped scores and paged keys on Hopper: wgmma, fed by warps that copy
// rows from wherever they lie. The order of work is that of ../hopper/streaming.cuh; there a tensor map knows where
// rows are, which no map does of pages, or of the end of a sequence in a packed tensor.
//
//   warpgroup 0    warp 0: keys, warp 1: values, warp 2: queries and the list of tiles, warp 3: stores finished tiles
//   others         64 rows of a tile each: S = Q K^T, softmax, O += P V
#pragma once

#include "../hopper/streaming_block.cuh"
#include "streaming_consumer.cuh"
#include "streaming_loaders.cuh"

namespace assay::attention::serving::streaming {

template <class ElementType, int kHeadDimension, int kKeyBlockRows, int kStageCount>
struct Config : StreamingBlock<ElementType, kHeadDimension, 2, kKeyBlockRows, kStageCount> {
  using Shared = StreamingShared<StreamingBlock<ElementType, kHeadDimension, 2, kKeyBlockRows, kStageCount>, TileWork>;
  static constexpr int kLoaderRegisters = 40;
  static constexpr int kConsumerRegisters = 232;
};

template <class Config>
__device__ __forceinline__ void run_streaming(const Params& params) {
  extern __shared__ __align__(1024) uint8_t shared_bytes[];
  auto& shared = *reinterpret_cast<typename Config::Shared*>(shared_bytes);
  allow_next_grid();
  if (threadIdx.x == 0) shared.init_barriers();
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
    Consumer<Config>{{shared, params, warpgroup - 1, {warpgroup - 1}},
                     {Softcap::softmax_scale(params) * kLog2E},
                     Softcap(params).exponent}
        .run();
  }
}

template <class Config>
__global__ void __launch_bounds__(Config::kThreads, 1) streaming_attention(const __grid_constant__ Params params) {
  run_streaming<Config>(params);
}

}  // namespace assay::attention::serving::streaming
