// SPDX-License-Identifier: MIT
// The kernels of this folder under names that launch.cpp chooses from: tile_, split_ and stream_<type>_d<D>.
#include "../../primitives/element.cuh"
#include "split_attention.cuh"
#include "streaming.cuh"
#include "tile_attention.cuh"

using namespace assay::attention;

#define TILE_ENTRY(TYPE, DIM, ROWS, KEYS, STAGES)                                                    \
  using TileConfig_##TYPE##_d##DIM = serving::TileConfig<assay::TYPE, DIM, ROWS, KEYS, STAGES>;      \
  extern "C" __global__ void __launch_bounds__(128, TileConfig_##TYPE##_d##DIM::kBlocksPerProcessor) \
      tile_##TYPE##_d##DIM(const __grid_constant__ serving::Params params) {                         \
    serving::run_tiles<TileConfig_##TYPE##_d##DIM>(params);                                          \
  }

#define SPLIT_ENTRY(TYPE, DIM, SLABS, WARPS)                                                                 \
  using SplitConfig_##TYPE##_d##DIM = serving::SplitConfig<assay::TYPE, DIM, SLABS, WARPS>;                  \
  extern "C" __global__ void __launch_bounds__(32 * WARPS, SplitConfig_##TYPE##_d##DIM::kBlocksPerProcessor) \
      split_##TYPE##_d##DIM(const __grid_constant__ serving::Params params) {                                \
    serving::run_split<SplitConfig_##TYPE##_d##DIM>(params);                                                 \
  }

#define STREAM_ENTRY(TYPE, DIM, KEYS, STAGES)                                                              \
  extern "C" __global__ void __launch_bounds__(384, 1)                                                     \
      stream_##TYPE##_d##DIM(const __grid_constant__ serving::Params params) {                             \
    serving::streaming::run_streaming<serving::streaming::Config<assay::TYPE, DIM, KEYS, STAGES>>(params); \
  }

TILE_ENTRY(f16, 64, 128, 64, 2)
TILE_ENTRY(bf16, 64, 64, 64, 2)
TILE_ENTRY(f16, 128, 64, 64, 1)
TILE_ENTRY(bf16, 128, 64, 64, 1)
TILE_ENTRY(f16, 256, 64, 32, 1)
TILE_ENTRY(f16, 192, 64, 64, 1)
TILE_ENTRY(bf16, 192, 64, 64, 1)
TILE_ENTRY(bf16, 256, 64, 32, 1)
SPLIT_ENTRY(f16, 64, 1, 8)
SPLIT_ENTRY(bf16, 64, 2, 4)
SPLIT_ENTRY(f16, 128, 2, 8)
SPLIT_ENTRY(bf16, 128, 1, 4)
SPLIT_ENTRY(f16, 256, 1, 4)
SPLIT_ENTRY(bf16, 256, 1, 4)
STREAM_ENTRY(f16, 64, 128, 3)
STREAM_ENTRY(bf16, 64, 128, 3)
STREAM_ENTRY(f16, 96, 128, 2)
STREAM_ENTRY(f16, 128, 128, 2)
STREAM_ENTRY(bf16, 128, 128, 2)
STREAM_ENTRY(f16, 192, 80, 2)
STREAM_ENTRY(f16, 256, 48, 2)
